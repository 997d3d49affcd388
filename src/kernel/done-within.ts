/** Whether the work is done within so many milliseconds. If not, it goes on. Rejects as the work does. */
export function doneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms);
    work
      .then(() => resolve(true))
      .catch(reject)
      .finally(() => clearTimeout(timer));
  });
}
