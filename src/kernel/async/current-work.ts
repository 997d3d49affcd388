import { AsyncValue } from './async-value.js';

const current = new AsyncValue<() => string>();

/** Does something, and all that follows from it, under a name for the log. */
export function asWork<R>(name: () => string, work: () => R): R {
  return current.run(name, work);
}

/** Describes the work of the process at this moment, without texts of people. */
export function nameOfWork(): string | undefined {
  return current.get()?.();
}
