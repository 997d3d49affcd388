import { setTimeout as delay } from 'node:timers/promises';

/** No verdict: Jest's own timeout would not say what was awaited. */
const LIMIT_MS = 150_000;
const STEP_MS = 5;

/**
 * Waits until something is so that nobody tells of, such as the other side of a connection that was
 * closed.
 */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  limit_ms = LIMIT_MS,
): Promise<void> {
  for (const end = performance.now() + limit_ms; !(await isSo()); await delay(STEP_MS))
    if (performance.now() > end)
      throw new Error(`Not so within ${limit_ms} ms: ${isSo.toString()}`);
}
