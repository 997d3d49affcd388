import { exactFunctions } from './exact-functions.js';
import { floatingFunctions } from './floating-functions.js';
import type { MathEngine } from './math-engine.js';
import type { MathFunction } from './math-function.js';

/** All functions that an expression can call. */
export function functionsOf(engine: MathEngine): ReadonlyMap<string, MathFunction> {
  return new Map([...exactFunctions(engine), ...floatingFunctions(engine)]);
}
