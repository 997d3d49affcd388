import type { Usage } from '../types.js';

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

/** The sum; what neither has is absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const names = Object.keys({ ...a, ...b }) as (keyof Usage)[];
  const sums = names.map((name) => [name, withoutStrayDigits((a[name] ?? 0) + (b[name] ?? 0))]);
  return { ...NO_USAGE, ...Object.fromEntries(sums) };
}

/** Sums of fractions of a dollar have some. */
function withoutStrayDigits(sum: number): number {
  return Number(sum.toFixed(10));
}
