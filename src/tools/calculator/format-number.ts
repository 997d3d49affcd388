import type { BigNumber } from 'mathjs';
import { PRECISION } from './math-engine.js';

/** Digits of a number that is not whole. */
const DIGITS = 14;
/** The exponents between which people write a number out. */
const SMALLEST = -7;
const LARGEST = 21;

/** Whole numbers in full as far as they are exact, others to 14 digits; very large and very small ones as `1.5e+30`. */
export function formatNumber(value: BigNumber): string {
  if (value.isZero()) return '0';
  if (value.isInteger() && value.e < PRECISION) return value.toFixed(0);
  const rounded = value.toSignificantDigits(DIGITS);
  return rounded.e < SMALLEST || rounded.e >= LARGEST ? rounded.toExponential() : rounded.toFixed();
}
