import { AppError } from '../kernel/app-error.js';

/** Recordings that a process holds at once: each is in memory until its provider has answered. */
const MAX_RECORDINGS = 8;

export class RecordingSlots {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  /** @throws AppError `audio_busy` (503) if none is free */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken >= MAX_RECORDINGS) throw busy();
    this.taken++;
    return this.work(work);
  }

  /** Waits for a free one. @throws the signal's reason */
  async withinOnceFree<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.taken < MAX_RECORDINGS) this.taken++;
    else await this.next(signal);
    return this.work(work);
  }

  private async work<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  private release(): void {
    const [first] = this.waiting;
    if (!first) return void this.taken--;
    this.waiting.delete(first);
    first();
  }

  private next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (this.waiting.delete(start)) reject(signal.reason);
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.waiting.add(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}

function busy(): AppError {
  const message = `The server is working on ${MAX_RECORDINGS} recordings. Retry shortly.`;
  return new AppError('unavailable', 'audio_busy', message);
}
