import { Unreadable } from './script.js';

/** In milliseconds, of the processor and of the clock. */
const LIMIT_MS = 50;
/** Scripts of so many characters together are read in less than that, whatever is in them. */
const FREE_CHARACTERS = 600;

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
  private characters = 0;

  /** @throws TooLong */
  spend(characters: number): void {
    this.characters += characters;
    if (this.isSpent) throw new TooLong();
  }

  /** Short scripts are always read. A process that waits for a processor spends nothing. */
  get isSpent(): boolean {
    if (this.characters <= FREE_CHARACTERS) return false;
    if (performance.now() - this.began < LIMIT_MS) return false;
    const { user, system } = process.cpuUsage(this.used);
    return user + system >= LIMIT_MS * 1000;
  }
}
