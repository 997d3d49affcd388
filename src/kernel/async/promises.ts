/** Returns the promise, or a rejection as soon as the signal aborts. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Resolves with true if the work is done within `ms` milliseconds, else with false; the work goes
 * on then. Rejects if the work rejects.
 */
export function doneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms);
    work
      .then(() => resolve(true))
      .catch(reject)
      .finally(() => clearTimeout(timer));
  });
}
