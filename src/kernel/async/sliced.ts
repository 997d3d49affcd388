import { Breather } from './breather.js';

/** Long work that yields wherever the event loop may go on. */
export type Sliced<T> = Generator<void, T, void>;

/** Does the work without a break. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Does the work so that it never holds the event loop for long. */
export async function inSlices<T>(work: Sliced<T>): Promise<T> {
  const breather = new Breather();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await breather.breathe();
  }
}
