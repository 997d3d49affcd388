/**
 * Answers when the event loop has gone round often enough for all that waits for nothing else to be
 * done.
 */
export function quiet<T>(value: T, times = 30): Promise<T> {
  return new Promise((resolve) => {
    const next = (left: number): unknown =>
      left === 0 ? resolve(value) : setImmediate(() => next(left - 1));
    next(times);
  });
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}
