/** `TEST_ALL=1`, which `npm run test:all` sets: what is slow, and what depends on a store on it. */
export const ALL = process.env['TEST_ALL'] === '1' || process.env['STORES'] === 'all';

/**
 * `EXHAUSTIVE=1`, which `npm run test:exhaustive` sets: every run of a property, every row of a
 * long table, every cut of a file or stream, every suite on every store.
 */
export const EXHAUSTIVE = process.env['EXHAUSTIVE'] === '1';

/** Also with `STORES=all`: `STORES=all npm run test:all -- test/faults/shutdown`. */
export const EVERY_STORE = EXHAUSTIVE || process.env['STORES'] === 'all';

/** By default a fifth of a property's runs; fast-check prints the seed of one that fails. */
export function runs(exhaustive: number): number {
  return EXHAUSTIVE ? exhaustive : Math.ceil(exhaustive / 5);
}

/** By default `count` of the rows, at even distances, the first and the last among them. */
export function some<T>(rows: readonly T[], count: number): readonly T[] {
  if (EXHAUSTIVE || rows.length <= count) return rows;
  const step = (rows.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, at) => rows[Math.round(at * step)]!);
}

/** Whether the servers of end-to-end tests take keys where a test does not say otherwise. */
export const WITH_AUTH = process.env['TEST_AUTH'] === 'keys';
