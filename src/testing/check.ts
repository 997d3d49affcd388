import { ok } from 'node:assert/strict';
import { doneWithin } from '../kernel/async/promises.js';

/**
 * Property that the server relies on. For any test runner:
 * `for (const { name, run } of checks) test(name, run)`.
 */
export interface Check {
  readonly name: string;
  /** Rejects with an AssertionError that says what is wrong. */
  readonly run: () => Promise<void>;
}

/** @throws AssertionError if it takes longer */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  work.catch(() => {}); // it is awaited below, unless it is late
  ok(await doneWithin(work, ms), `${what} took longer than ${ms} ms`);
  return work;
}
