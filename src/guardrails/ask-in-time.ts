/**
 * What a guardrail answers, or a rejection once its time is over or nobody waits any more.
 *
 * @throws what it throws
 */
export async function askInTime<T>(
  ask: (signal: AbortSignal) => Promise<T> | T,
  { timeout_ms, signal }: { timeout_ms: number; signal: AbortSignal },
): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new Error(`it took longer than ${timeout_ms} ms`)),
    timeout_ms,
  ).unref();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    return await Promise.race([Promise.resolve(ask(either)), whenAborted(either)]);
  } finally {
    clearTimeout(timer);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
