/** Runs the work when fewer than `most` others run; what is given up meanwhile does not begin. */
export type Bounded = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function boundedBy(most: number): Bounded {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (signal, work) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
