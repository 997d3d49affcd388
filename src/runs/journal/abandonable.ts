/** An agent may not wait for its step: when that fails, it must not take the process down. */
export function abandonable<T>(outcome: Promise<T>): Promise<T> {
  outcome.catch(() => {});
  return outcome;
}
