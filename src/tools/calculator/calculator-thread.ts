import { Worker } from 'node:worker_threads';

const WORKER = new URL('./worker.js', import.meta.url);
/**
 * Timeout of one expression in milliseconds, without the start of the thread, and the CPU time that
 * the process has to have used meanwhile: on a busy machine a second may pass without any.
 */
const TIME_LIMIT_MS = 1_000;
/** Idle timeout of the thread, in milliseconds. */
const IDLE_MS = 30_000;
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

interface Message {
  readonly kind: 'started' | 'result' | 'error';
  readonly text: string;
}

/**
 * Evaluates expressions with mathjs in a worker thread, one after the other. An expression that
 * takes too long or too much memory ends the thread; the next one gets a new thread.
 */
export class CalculatorThread {
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly timeLimitMs = TIME_LIMIT_MS) {}

  /** @throws Error that tells the model why there is no result */
  calculate(expression: string): Promise<string> {
    const result = this.last.then(() => this.evaluate(expression));
    this.last = result.catch(() => {});
    return result;
  }

  async stop(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }

  private async evaluate(expression: string): Promise<string> {
    clearTimeout(this.idle);
    const worker = (this.worker ??= this.startThread());
    worker.ref();
    try {
      return await answerOf(worker, expression, this.timeLimitMs);
    } catch (error) {
      if (error instanceof ThreadStopped) await this.stop();
      throw error;
    } finally {
      worker.unref();
      this.idle = setTimeout(() => void this.stop(), IDLE_MS).unref();
    }
  }

  private startThread(): Worker {
    const worker = new Worker(WORKER, { env: {}, resourceLimits: MEMORY });
    worker.on('error', () => {}); // after a timeout, nobody waits for one
    return worker.on('exit', () => {
      if (this.worker === worker) this.worker = undefined;
    });
  }
}

/** The thread can no longer be used. */
class ThreadStopped extends Error {}

function answerOf(worker: Worker, expression: string, timeLimitMs: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  let release: (() => void) | undefined;
  return new Promise<string>((resolve, reject) => {
    const stop = (message: string): void => reject(new ThreadStopped(message));
    const listeners = {
      error: (error: Error & { code?: string }) =>
        stop(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? 'The expression needs too much memory. Calculate it in parts.'
            : error.message,
        ),
      exit: () => stop('The calculator was stopped.'),
      message: ({ kind, text }: Message) => {
        if (kind === 'result') return resolve(text);
        if (kind === 'error') return reject(new Error(text));
        const message = `The expression takes too long (over ${timeLimitMs} ms). Calculate it in parts.`;
        const before = process.cpuUsage();
        const check = (): void => {
          const { user, system } = process.cpuUsage(before); // in microseconds
          const left_ms = timeLimitMs - (user + system) / 1000;
          if (left_ms > 0) timer = setTimeout(check, left_ms);
          else stop(message);
        };
        timer = setTimeout(check, timeLimitMs);
      },
    };
    for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
    release = () => {
      for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
    };
    worker.postMessage(expression);
  }).finally(() => {
    clearTimeout(timer);
    release?.();
  });
}
