import { AsyncLocalStorage } from 'node:async_hooks';

type Values = ReadonlyMap<AsyncValue<unknown>, unknown>;

const values = new AsyncLocalStorage<Values | undefined>();

/**
 * A value that code, and all asynchronous work that follows from it, sees: an `AsyncLocalStorage`.
 * They all share one, as Node 20 hands every promise to each that was ever used.
 */
export class AsyncValue<T> {
  /** `value` undefined: the work does not see the value of its caller. */
  run<R>(value: T | undefined, work: () => R): R {
    return values.run(new Map(values.getStore()).set(this, value), work);
  }

  get(): T | undefined {
    return values.getStore()?.get(this) as T | undefined;
  }
}

/** The work, to be done later, or by something else, with the values that its caller sees now. */
export function withValuesOfCaller(work: () => void): () => void {
  const seen = values.getStore();
  return () => values.run(seen, work);
}
