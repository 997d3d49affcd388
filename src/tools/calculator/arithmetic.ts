import type { BigNumber } from 'mathjs';
import { PRECISION } from './math-engine.js';
import type { MathEngine } from './math-engine.js';
import { MathFault } from './math-fault.js';

/** What a loop may go through. */
const MOST_FACTORS = 1_000;
/** Beyond it, a whole power is not exact anyway. */
const MOST_WHOLE_EXPONENT = 1_000_000;
/** Digits of a double that are not noise. */
const DOUBLE_DIGITS = 15;
const HALF_UP = 4;

export function divide(a: BigNumber, b: BigNumber): BigNumber {
  if (b.isZero()) throw new MathFault('Division by zero.');
  return a.dividedBy(b);
}

/** As on paper: the sign is the divisor's. */
export function remainder(a: BigNumber, b: BigNumber): BigNumber {
  if (b.isZero()) throw new MathFault('Division by zero.');
  const rest = a.modulo(b);
  return rest.isZero() || rest.isNegative() === b.isNegative() ? rest : rest.plus(b);
}

/** Whole powers are exact as far as decimals go; others are as good as a double. */
export function power(base: BigNumber, exponent: BigNumber, engine: MathEngine): BigNumber {
  if (base.isZero() && exponent.isNegative()) throw new MathFault('Division by zero.');
  if (exponent.isInteger() && exponent.abs().lte(MOST_WHOLE_EXPONENT)) return base.pow(exponent);
  return fromDouble(toDouble(base) ** toDouble(exponent), engine);
}

export function round(x: BigNumber, digits?: BigNumber): BigNumber {
  return x.toDecimalPlaces(digits ? wholeUpTo(digits, 'The second value of round') : 0, HALF_UP);
}

export function factorial(n: BigNumber, engine: MathEngine): BigNumber {
  return fallingProduct(n, wholeUpTo(n, 'A factorial'), engine);
}

/** Ways to choose `k` of `n`, in order. */
export function permutations(n: BigNumber, k: BigNumber, engine: MathEngine): BigNumber {
  requireWhole(n, 'permutations');
  return fallingProduct(n, wholeUpTo(k, 'permutations'), engine);
}

/** Ways to choose `k` of `n`, regardless of order. */
export function combinations(n: BigNumber, k: BigNumber, engine: MathEngine): BigNumber {
  requireWhole(n, 'combinations');
  requireWhole(k, 'combinations');
  if (k.gt(n)) return engine.decimal(0);
  const rest = n.minus(k);
  const count = wholeUpTo(rest.lt(k) ? rest : k, 'combinations');
  return fallingProduct(n, count, engine)
    .dividedBy(factorial(engine.decimal(count), engine))
    .round();
}

/** n · (n − 1) · … , `count` factors. */
function fallingProduct(n: BigNumber, count: number, engine: MathEngine): BigNumber {
  let product = engine.decimal(1);
  for (let i = 0; i < count; i++) product = product.times(n.minus(i));
  return product;
}

export function greatestDivisor(a: BigNumber, b: BigNumber): BigNumber {
  let [x, y] = [exactWhole(a), exactWhole(b)];
  while (!y.isZero()) [x, y] = [y, x.modulo(y)];
  return x;
}

export function leastMultiple(a: BigNumber, b: BigNumber): BigNumber {
  const divisor = greatestDivisor(a, b);
  return divisor.isZero() ? divisor : a.abs().dividedBy(divisor).times(b.abs());
}

export function toDouble(x: BigNumber): number {
  const double = x.toNumber();
  if (Number.isFinite(double)) return double;
  throw new MathFault('A number is too large to calculate with.');
}

/** Drops the noise in the last digits. */
export function fromDouble(value: number, engine: MathEngine): BigNumber {
  return engine.decimal(Number.isFinite(value) ? value.toPrecision(DOUBLE_DIGITS) : value);
}

/** @throws MathFault unless it is 0, 1, 2… and not more than a loop may go through */
function wholeUpTo(n: BigNumber, what: string): number {
  requireWhole(n, what);
  if (n.gt(MOST_FACTORS)) throw new MathFault(`${what} can't be more than ${MOST_FACTORS}.`);
  return n.toNumber();
}

function requireWhole(n: BigNumber, what: string): void {
  if (!n.isInteger() || n.isNegative())
    throw new MathFault(`${what} needs whole numbers that are not negative.`);
}

function exactWhole(n: BigNumber): BigNumber {
  if (!n.isInteger() || n.e >= PRECISION)
    throw new MathFault(`gcd and lcm need whole numbers of at most ${PRECISION} digits.`);
  return n.abs();
}
