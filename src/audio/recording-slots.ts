import { AppError } from '../kernel/app-error.js';
import { Slots } from '../kernel/async/slots.js';

/** Recordings that a process holds at once: each is in memory until its provider has answered. */
const MAX_RECORDINGS = 8;
const NEVER = new AbortController().signal;

export class RecordingSlots {
  private readonly slots = new Slots(MAX_RECORDINGS);

  /** @throws AppError `audio_busy` (503) if none is free */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.slots.areTaken) throw busy();
    return this.withinOnceFree(NEVER, work);
  }

  /** Waits for a free one. @throws the signal's reason */
  async withinOnceFree<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.slots.take(signal);
    try {
      return await work();
    } finally {
      this.slots.release();
    }
  }
}

function busy(): AppError {
  const message = `The server is working on ${MAX_RECORDINGS} recordings. Retry shortly.`;
  return new AppError('unavailable', 'audio_busy', message);
}
