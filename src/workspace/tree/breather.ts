import { setImmediate } from 'node:timers/promises';

/** How long work may keep the process to itself, in milliseconds. */
const MAX_MS = 10;

/** Lets others have their turn in the middle of work that takes long. */
export class Breather {
  private since = performance.now();

  async breathe(): Promise<void> {
    if (performance.now() - this.since < MAX_MS) return;
    await setImmediate();
    this.since = performance.now();
  }
}
