import { fromDouble } from './arithmetic.js';
import type { MathEngine } from './math-engine.js';
import type { MathFunction, Values } from './math-function.js';
import { toDouble } from './arithmetic.js';

/** Below it, a sine is zero: a double of pi is not quite pi. */
const NOISE = 1e-15;

const UNARY = {
  exp: Math.exp,
  expm1: Math.expm1,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  log1p: Math.log1p,
  sin: (x: number) => snap(Math.sin(x)),
  cos: (x: number) => snap(Math.cos(x)),
  tan: (x: number) => snap(Math.tan(x)),
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
};

/** As good as a double: decimals can take minutes for these. */
export function floatingFunctions(engine: MathEngine): [string, MathFunction][] {
  const floating = (of: (...values: number[]) => number, [least, most]: [number, number]) => ({
    least,
    most,
    of: (values: Values) => fromDouble(of(...values.map(toDouble)), engine),
  });
  return [
    ...Object.entries(UNARY).map(([name, of]) => named(name, floating(of, [1, 1]))),
    named('log', floating(log, [1, 2])),
    named('atan2', floating(Math.atan2, [2, 2])),
    named('nthRoot', floating(nthRoot, [2, 2])),
  ];
}

function named(name: string, of: MathFunction): [string, MathFunction] {
  return [name, of];
}

/** Natural, unless a base is given. */
function log(x: number, base?: number): number {
  return base === undefined ? Math.log(x) : Math.log(x) / Math.log(base);
}

function nthRoot(x: number, n: number): number {
  return x < 0 && Math.abs(n % 2) === 1 ? -((-x) ** (1 / n)) : x ** (1 / n);
}

function snap(value: number): number {
  return Math.abs(value) < NOISE ? 0 : value;
}
