import { MessageChannel, Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { z } from 'zod';
import type { Program, ProgramEnd, ProgramListener } from './program.js';
import type { PyodideFiles } from './pyodide-files.js';

const WORKER = new URL('./sandbox/worker.js', import.meta.url);
/** Interval between two reads of a program's output, in milliseconds. */
const OUTPUT_MS = 25;
/** Maximum bytes of all files that a program writes. */
const FILE_BYTES = 64 * 2 ** 20;
/** Limits of the JavaScript heap around the interpreter; Python's own memory is not counted. */
const RESOURCES = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

export interface InterpreterOptions {
  readonly files: PyodideFiles;
  /** Without a snapshot, the interpreter makes one. */
  readonly snapshot?: SharedArrayBuffer;
  readonly memory_mb: number;
}

type Message =
  | { readonly kind: 'snapshot'; readonly bytes: Uint8Array }
  | { readonly kind: 'ready' | 'returned' }
  | { readonly kind: 'request'; readonly text: string }
  | Exclude<ProgramEnd, { kind: 'ended' | 'stopped' }>;

const ending = z.object({
  op: z.literal('end'),
  value: z.string().nullable(),
  failed: z.boolean(),
});

/**
 * Interpreter in its own worker thread. It runs one program and is then discarded. An idle
 * interpreter does not keep the process alive.
 */
export class Interpreter {
  /** Rejects if the interpreter can't start. */
  readonly ready: Promise<Uint8Array | undefined>;
  private readonly ring = new OutputRing();
  private readonly worker: Worker;
  private readonly port: MessagePort;
  private listener: ProgramListener | undefined;
  private isOver = false;
  private end: (end: ProgramEnd) => void = () => {};
  private tellReady: (snapshot?: Uint8Array) => void = () => {};

  constructor({ files, snapshot, memory_mb }: InterpreterOptions) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const limits = { memory_bytes: memory_mb * 2 ** 20, file_bytes: FILE_BYTES };
    this.worker = new Worker(WORKER, {
      workerData: { ...files, snapshot, limits, control: this.ring.control, port: port2 },
      transferList: [port2],
      ...{ env: {}, execArgv: [], stdin: false, stdout: true, stderr: true },
      resourceLimits: RESOURCES,
    });
    this.ready = new Promise((resolve, reject) => {
      this.tellReady = resolve;
      this.end = (end) => reject(new Error(`Python can't be started: ${describeStart(end)}`));
    });
    this.ready.catch(() => {});
    this.worker.on('error', (error: Error) => this.finish(describeError(error)));
    this.worker.on('exit', () => this.finish({ kind: 'stopped' }));
    port1.on('message', (message: Message) => this.take(message));
    this.worker.unref();
    port1.unref();
  }

  /** True if it can run a program, as far as is known. */
  get isAlive(): boolean {
    return !this.isOver;
  }

  /** Runs the program; may be called once, after `ready`. Never rejects. */
  run({ code, seed, now }: Program, listener: ProgramListener): Promise<ProgramEnd> {
    if (this.isOver) return Promise.resolve({ kind: 'stopped' });
    this.listener = listener;
    this.worker.ref();
    const watch = setInterval(() => this.showOutput(), OUTPUT_MS);
    const ended = new Promise<ProgramEnd>((resolve) => {
      this.end = resolve;
    });
    this.send({ text: toAscii(JSON.stringify({ code })), seed, now });
    return ended.finally(() => clearInterval(watch));
  }

  async stop(): Promise<void> {
    this.finish({ kind: 'stopped' });
    await this.worker.terminate();
  }

  private take(message: Message): void {
    switch (message.kind) {
      case 'snapshot':
        return this.tellReady(message.bytes);
      case 'ready':
        return this.tellReady();
      case 'request':
        return this.takeRequest(message.text);
      case 'returned':
        return this.finish({ kind: 'crashed', why: 'it ended without a result' });
      case 'exited':
      case 'refused':
      case 'crashed':
        return this.finish(message);
    }
  }

  private takeRequest(text: string): void {
    this.showOutput();
    const end = ending.safeParse(parseJson(text));
    if (end.success) return this.finish({ kind: 'ended', ...pickEnd(end.data) });
    void this.listener?.onRequest(text).then((answer) => this.send(toAscii(answer)));
  }

  private send(message: unknown): void {
    if (this.isOver) return;
    this.port.postMessage(message);
    this.ring.wake();
  }

  private showOutput(): void {
    const bytes = this.ring.drain();
    if (bytes.length > 0 && !this.isOver) this.listener?.onOutput(bytes);
  }

  private finish(end: ProgramEnd): void {
    if (this.isOver) return;
    this.showOutput();
    this.isOver = true;
    this.port.close();
    void this.worker.terminate();
    this.end(end);
  }
}

function pickEnd({ value, failed }: z.output<typeof ending>) {
  return { value, failed };
}

function describeError(error: Error & { code?: string }): ProgramEnd {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return { kind: 'crashed', why: 'it used too much memory for files and open things' };
  return { kind: 'crashed', why: error.message };
}

function describeStart(end: ProgramEnd): string {
  return end.kind === 'crashed' ? end.why : end.kind;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Escapes JSON text so that each character takes one byte. */
function toAscii(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const BYTES = 65_536;
const START = 16;
/** Int32 indexes of the control words. */
const WAKE = 0;
const WRITTEN = 1;
const READ = 2;

/**
 * The memory that a worker and the server share: a control word that wakes the worker, and a ring
 * buffer of the bytes that it prints.
 */
class OutputRing {
  readonly control = new SharedArrayBuffer(START + BYTES);
  private readonly words = new Int32Array(this.control, 0, START / 4);
  private readonly ring = new Uint8Array(this.control, START);

  wake(): void {
    Atomics.store(this.words, WAKE, 1);
    Atomics.notify(this.words, WAKE);
  }

  /** Takes the bytes printed since the last call and frees the buffer for the worker. */
  drain(): Buffer {
    const read = Atomics.load(this.words, READ);
    const written = Atomics.load(this.words, WRITTEN);
    const size = Math.min((written - read) >>> 0, BYTES);
    const from = (read >>> 0) % BYTES;
    const first = this.ring.subarray(from, Math.min(from + size, BYTES));
    const bytes = Buffer.concat([first, this.ring.subarray(0, size - first.length)]);
    Atomics.store(this.words, READ, (read + size) | 0);
    Atomics.notify(this.words, READ);
    return bytes;
  }
}
