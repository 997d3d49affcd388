import { setImmediate } from 'node:timers/promises';

/** Maximum time that work may block the event loop, in milliseconds. */
const MAX_MS = 10;

/** Yields to the event loop during long work. */
export class Breather {
  private since = performance.now();

  async breathe(): Promise<void> {
    if (performance.now() - this.since < MAX_MS) return;
    await setImmediate();
    this.since = performance.now();
  }
}
