import { divide, factorial, power, remainder } from './arithmetic.js';
import type { MathEngine } from './math-engine.js';
import { binary, unary } from './math-function.js';
import type { MathFunction } from './math-function.js';

/** By the name that mathjs has for each. */
export function operatorsOf(engine: MathEngine): ReadonlyMap<string, MathFunction> {
  return new Map([
    ['add', binary((a, b) => a.plus(b))],
    ['subtract', binary((a, b) => a.minus(b))],
    ['multiply', binary((a, b) => a.times(b))],
    ['divide', binary(divide)],
    ['mod', binary(remainder)],
    ['pow', binary((a, b) => power(a, b, engine))],
    ['unaryMinus', unary((a) => a.negated())],
    ['unaryPlus', unary((a) => a)],
    ['factorial', unary((a) => factorial(a, engine))],
  ]);
}
