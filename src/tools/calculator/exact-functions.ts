import type { BigNumber } from 'mathjs';
import {
  combinations,
  factorial,
  greatestDivisor,
  leastMultiple,
  permutations,
  power,
  remainder,
  round,
} from './arithmetic.js';
import type { MathEngine } from './math-engine.js';
import { binary, unary, variadic } from './math-function.js';
import type { MathFunction, Values } from './math-function.js';

/** Those that decimals do fast and to all their digits. */
export function exactFunctions(engine: MathEngine): [string, MathFunction][] {
  return [
    ['abs', unary((x) => x.abs())],
    ['sign', unary((x) => (x.isZero() ? x : x.dividedBy(x.abs())))],
    ['ceil', unary((x) => x.ceil())],
    ['floor', unary((x) => x.floor())],
    ['fix', unary((x) => x.trunc())],
    ['round', { least: 1, most: 2, of: ([x, digits]) => round(x, digits) }],
    ['sqrt', unary((x) => x.sqrt())],
    ['cbrt', unary((x) => x.cbrt())],
    ['square', unary((x) => x.times(x))],
    ['cube', unary((x) => x.times(x).times(x))],
    ['pow', binary((x, y) => power(x, y, engine))],
    ['mod', binary(remainder)],
    ['factorial', unary((n) => factorial(n, engine))],
    ['combinations', binary((n, k) => combinations(n, k, engine))],
    ['permutations', binary((n, k) => permutations(n, k, engine))],
    ['min', variadic((values) => values.reduce((a, b) => (b.lt(a) ? b : a)))],
    ['max', variadic((values) => values.reduce((a, b) => (b.gt(a) ? b : a)))],
    ['sum', variadic(sum)],
    ['mean', variadic((values) => sum(values).dividedBy(values.length))],
    ['median', variadic(median)],
    [
      'hypot',
      variadic((values) =>
        values
          .map((x) => x.times(x))
          .reduce(plus)
          .sqrt(),
      ),
    ],
    ['gcd', variadic((values) => values.reduce(greatestDivisor))],
    ['lcm', variadic((values) => values.reduce(leastMultiple))],
  ];
}

function plus(a: BigNumber, b: BigNumber): BigNumber {
  return a.plus(b);
}

function sum(values: Values): BigNumber {
  return values.reduce(plus);
}

function median(values: Values): BigNumber {
  const sorted = [...values].sort((a, b) => a.comparedTo(b));
  const half = sorted.length >> 1;
  const upper = sorted[half]!;
  return sorted.length % 2 === 1 ? upper : upper.plus(sorted[half - 1]!).dividedBy(2);
}
