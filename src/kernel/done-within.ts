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
