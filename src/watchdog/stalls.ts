/** Written by the main thread, and from `STALLS` on by the watchdog: see `thread/thread.js`. */
export const sharedState = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));

const [BEAT, STALLS, STALLED_MS] = [0, 1, 2];

/** Says that the event loop of the main thread turns. */
export function beat(): void {
  Atomics.add(sharedState, BEAT, 1);
}

/** How often, and how long in total, the event loop was blocked. */
export function countStalls(): { readonly count: number; readonly seconds: number } {
  const seconds = Atomics.load(sharedState, STALLED_MS) / 1000;
  return { count: Atomics.load(sharedState, STALLS), seconds };
}
