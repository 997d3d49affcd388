import type { ChildProcess } from 'node:child_process';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { StdioServerParameters } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { ErrorCode, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { exactJson } from '../kernel/exact-json.js';
import { MESSAGE_LIMITS, findExcess } from '../kernel/bounded-json.js';
import { parseIncoming } from './incoming-message.js';

const NEWLINE = 0x0a;

/* oxlint-disable no-underscore-dangle -- the names are the SDK's */

/** The fields that the SDK has no other access to: what it writes to and reads from. */
interface Inside {
  _process?: ChildProcess;
  _readBuffer: Pick<ReadBuffer, 'append' | 'readMessage' | 'clear'>;
}

/** As the SDK's, with exact numbers, and with messages as `parseIncoming` reads them. */
export class StdioTransport extends StdioClientTransport {
  constructor(settings: StdioServerParameters & { readonly maxBufferSize: number }) {
    super(settings);
    this.inside._readBuffer = new MessageBuffer(settings.maxBufferSize);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.inside._process?.stdin;
    if (!stdin) throw new Error('Not connected');
    if (stdin.write(`${exactJson(message)}\n`)) return;
    await new Promise<void>((resolve) => stdin.once('drain', resolve));
  }

  private get inside(): Inside {
    return this as unknown as Inside;
  }
}

/** Splits the output of a program into messages, one a line. */
class MessageBuffer {
  private readonly lines: string[] = [];
  private parts: Buffer[] = [];
  private size = 0;

  constructor(private readonly maxBytes: number) {}

  append(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.add(chunk.subarray(start, end));
      this.lines.push(Buffer.concat(this.parts).toString('utf8'));
      this.clearPart();
      start = end + 1;
    }
    this.add(chunk.subarray(start));
  }

  /** @throws Error for a line that is no message */
  readMessage(): JSONRPCMessage | null {
    const line = this.lines.shift();
    if (line === undefined) return null;
    return JSONRPCMessageSchema.parse(refusalOf(line) ?? parseIncoming(line));
  }

  clear(): void {
    this.lines.length = 0;
    this.clearPart();
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

const ID = /"id"\s*:\s*(\d{1,15})\b/;
/** The id of a message is near its beginning or its end. */
const ID_CHARS = 200;

/** In place of an answer beyond the limits: its call fails at once, with the reason. */
function refusalOf(line: string): object | undefined {
  const excess = findExcess(line, MESSAGE_LIMITS);
  if (excess === undefined) return undefined;
  const id = ID.exec(line.slice(0, ID_CHARS)) ?? ID.exec(line.slice(-ID_CHARS));
  if (!id) return undefined;
  const message = `the server sent an answer with ${excess}`;
  return { jsonrpc: '2.0', id: Number(id[1]), error: { code: ErrorCode.InternalError, message } };
}
