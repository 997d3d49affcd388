import type { BigNumber, MathNode } from 'mathjs';

/** What we use of mathjs: it reads expressions and calculates with decimals. */
export interface MathEngine {
  /** @throws SyntaxError that says where the expression went wrong */
  parse(expression: string): MathNode;
  decimal(value: string | number): BigNumber;
}

/** Significant digits of a decimal. */
export const PRECISION = 64;
/** Decimals beyond 10^±this are infinite or zero, which bounds the time that any one operation takes. */
const MAX_EXPONENT = 5_000;

let loading: Promise<MathEngine> | undefined;

/** Loads mathjs on first use: it takes about 60 ms and 20 MB, which a server that never calculates does not pay. */
export function loadMathEngine(): Promise<MathEngine> {
  loading ??= load();
  return loading;
}

async function load(): Promise<MathEngine> {
  const { default: mathjs } = await import('mathjs/lib/browser/math.js');
  const math = mathjs.create(mathjs.all!);
  math.config({ number: 'BigNumber', precision: PRECISION });
  const Decimal = decimalClass(math.bignumber(0));
  return {
    parse: (expression) => math.parse(expression),
    decimal: (value) => new Decimal(value),
  };
}

type DecimalClass = new (value: string | number) => BigNumber;

function decimalClass(zero: BigNumber): DecimalClass {
  const Decimal = zero.constructor as DecimalClass & {
    set(options: { maxE: number; minE: number }): void;
  };
  Decimal.set({ maxE: MAX_EXPONENT, minE: -MAX_EXPONENT });
  return Decimal;
}
