import { Unreadable } from './script.js';

/** In milliseconds, of the processor and of the clock: more than any script that people write. */
const LIMIT_MS = 30;

/** A script that takes too long, whatever is in it. */
export class TooLong extends Unreadable {
  constructor() {
    super('takes too long to read');
  }
}

/** Bounds the time to read a script, with all scripts in it: reading blocks the event loop. */
export class ReadingBudget {
  private readonly began = performance.now();
  private readonly used = process.cpuUsage();

  /** A process that waits for a processor spends nothing. */
  get isSpent(): boolean {
    if (performance.now() - this.began < LIMIT_MS) return false;
    const { user, system } = process.cpuUsage(this.used);
    return user + system >= LIMIT_MS * 1000;
  }
}
