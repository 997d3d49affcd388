import type { BigNumber } from 'mathjs';

export type Values = readonly [BigNumber, ...BigNumber[]];

/** One entry of the tables of what exists: `of` gets `least` (1 or more) to `most` values and takes bounded time. */
export interface MathFunction {
  readonly least: number;
  readonly most: number;
  of(values: Values): BigNumber;
}

export function unary(of: (x: BigNumber) => BigNumber): MathFunction {
  return { least: 1, most: 1, of: ([x]) => of(x) };
}

export function binary(of: (x: BigNumber, y: BigNumber) => BigNumber): MathFunction {
  return { least: 2, most: 2, of: ([x, y]) => of(x, y!) };
}

export function variadic(of: (values: Values) => BigNumber): MathFunction {
  return { least: 1, most: Infinity, of };
}
