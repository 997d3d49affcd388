import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { StdioServerParameters } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { Breather } from '../../kernel/async/breather.js';
import { inSlices } from '../../kernel/async/sliced.js';
import { exactJson } from '../../kernel/json/exact-json.js';
import { PROCESS_MARKER } from '../../workspace/processes/gated-process.js';
import { ProcessFamily } from '../../workspace/processes/process-family.js';
import { readProcess } from '../../workspace/processes/process-table.js';
import { parseIncoming } from '../reading/incoming-message.js';
import { ReplyLimit } from '../reading/reply-limit.js';

const NEWLINE = 0x0a;
/** For processes that a program has started, to end by themselves after it, in milliseconds. */
const GRACE_MS = 500;

/**
 * Fields that the SDK gives no other access to: its program, and what reads and hands out messages.
 */
interface Inside {
  _process?: ChildProcess;
  processReadBuffer(): void;
  _readBuffer: Pick<ReadBuffer, 'append' | 'readMessage' | 'clear'>;
}

/** The SDK's transport with exact numbers, and with messages as `parseIncoming` reads them. */
export class StdioTransport extends StdioClientTransport {
  private readonly messages: MessageBuffer;
  private readonly replies = new ReplyLimit();
  private readonly marker: string;
  private family: ProcessFamily | undefined;

  constructor(settings: StdioServerParameters & { readonly maxBufferSize: number }) {
    const marker = randomUUID();
    super({ ...settings, env: { ...settings.env, [PROCESS_MARKER]: marker } });
    this.marker = `${PROCESS_MARKER}=${marker}`;
    this.messages = new MessageBuffer(settings.maxBufferSize, () => this.takeRead());
    this.inside._readBuffer = this.messages;
  }

  /** Messages that came before the end are read before it is told. */
  override async start(): Promise<void> {
    const closed = this.onclose;
    this.onclose = () => void this.messages.reading.then(closed);
    await super.start();
    const program = this.inside._process;
    if (program) await this.lookAfter(program);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.inside._process?.stdin;
    if (!stdin) throw new Error('Not connected');
    const line = `${exactJson(message)}\n`;
    await this.replies.send(
      message,
      () => new Promise((resolve) => void stdin.write(line, () => resolve())),
    );
  }

  override async close(): Promise<void> {
    await super.close();
    await this.endFamily();
  }

  /** The processes that it leaves behind may have its output open, which ends with the last one. */
  private async lookAfter(program: ChildProcess): Promise<void> {
    const pid = program.pid!;
    program.once('exit', () => void this.endFamily());
    const started_at = (await readProcess(pid))?.started_at ?? 0;
    this.family = new ProcessFamily({ pid, started_at, marker: this.marker, isRecent: true });
    if (program.exitCode !== null || program.signalCode !== null) await this.endFamily();
  }

  private async endFamily(): Promise<void> {
    const { family } = this;
    try {
      if (family && !(await family.end({ grace_ms: GRACE_MS, wrappers: 0 }))) await family.kill(0);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  /** The program waits while its messages are read, so that they don't accumulate. */
  private takeRead(): void {
    const { _process: program } = this.inside;
    if (this.messages.isReading) program?.stdout?.pause();
    else program?.stdout?.resume();
    this.inside.processReadBuffer();
  }

  private get inside(): Inside {
    return this as unknown as Inside;
  }
}

/** Splits the output of a program into messages, one a line, and reads them in slices. */
class MessageBuffer {
  /** Resolves when all lines are read. */
  reading: Promise<void> = Promise.resolve();
  isReading = false;
  private lines: Buffer[] = [];
  private read: (() => JSONRPCMessage)[] = [];
  private parts: Buffer[] = [];
  private size = 0;

  /** @param onRead is called when reading begins, after each message, and when all are read */
  constructor(
    private readonly maxBytes: number,
    private readonly onRead: () => void,
  ) {}

  append(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.add(chunk.subarray(start, end));
      if (this.size > 0) this.lines.push(Buffer.concat(this.parts));
      this.clearPart();
      start = end + 1;
    }
    this.add(chunk.subarray(start));
    if (!this.isReading && this.lines.length > 0) this.reading = this.readLines();
  }

  /** @throws Error for a line that is no message */
  readMessage(): JSONRPCMessage | null {
    return this.read.shift()?.() ?? null;
  }

  clear(): void {
    this.lines = [];
    this.clearPart();
  }

  private async readLines(): Promise<void> {
    this.isReading = true;
    this.onRead();
    const breather = new Breather();
    for (let lines = this.lines; lines.length > 0; lines = this.lines) {
      this.lines = [];
      for (const line of lines) {
        this.read.push(await readLine(line));
        this.onRead();
        await breather.breathe();
      }
    }
    this.isReading = false;
    this.onRead();
  }

  private add(part: Buffer): void {
    this.size += part.length;
    if (this.size > this.maxBytes)
      throw new Error(`it sent more than ${this.maxBytes} bytes at once`);
    this.parts.push(part);
  }

  private clearPart(): void {
    this.parts = [];
    this.size = 0;
  }
}

async function readLine(line: Buffer): Promise<() => JSONRPCMessage> {
  try {
    const message = await inSlices(parseIncoming(line.toString('utf8')));
    return () => JSONRPCMessageSchema.parse(message);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
