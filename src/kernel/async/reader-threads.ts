import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Slots } from './slots.js';

/** Limits of the thread's heap and stack; buffers and WebAssembly are not in it. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const TIME_MS = 20_000;

export interface ThreadLimits {
  readonly signal: AbortSignal;
  readonly time_ms?: number;
}

/** `fault`: the end of a sentence that begins with the name of the file. */
export interface Unreadable {
  readonly ok: false;
  readonly fault: string;
}

/**
 * Reads files in a thread each, with limits of time and heap, because a small hostile file may
 * unpack to any size.
 */
export class ReaderThreads<Answer> {
  private readonly slots: Slots;

  /** @param abreast how many threads a process runs at once */
  constructor(
    private readonly entry: URL,
    abreast: number,
  ) {
    this.slots = new Slots(abreast);
  }

  /**
   * The first message of a thread whose `workerData` are a copy of the bytes and the options.
   * @throws the signal's reason
   */
  async read(bytes: Buffer, options: object, limits: ThreadLimits): Promise<Answer | Unreadable> {
    await this.slots.take(limits.signal);
    const worker = this.start(bytes, options);
    try {
      return await answerOf<Answer>(worker, limits);
    } finally {
      // A thread that is out of memory may take a minute to end; only the next file waits for it.
      void worker.terminate().then(() => this.slots.release());
    }
  }

  private start(bytes: Buffer, options: object): Worker {
    const copy = new Uint8Array(bytes);
    const worker = new Worker(this.entry, {
      workerData: { ...options, bytes: copy },
      transferList: [copy.buffer],
      ...{ env: {}, execArgv: [], stdin: false, stdout: true, stderr: true },
      resourceLimits: HEAP,
    });
    return worker.on('error', () => {}); // also one after its answer, which nobody waits for
  }
}

async function answerOf<Answer>(
  worker: Worker,
  { signal, time_ms = TIME_MS }: ThreadLimits,
): Promise<Answer | Unreadable> {
  // Not AbortSignal.timeout: in AbortSignal.any, it may be collected before it aborts.
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), time_ms);
  const limit = AbortSignal.any([signal, time.signal]);
  try {
    const [answer] = (await once(worker, 'message', { signal: limit })) as [Answer];
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    if (time.signal.aborted) return { ok: false, fault: 'takes too long to read' };
    const { code } = error as NodeJS.ErrnoException;
    const isMemory = code === 'ERR_WORKER_OUT_OF_MEMORY';
    return { ok: false, fault: isMemory ? 'takes too much memory to read' : 'is damaged' };
  } finally {
    clearTimeout(timer);
  }
}
