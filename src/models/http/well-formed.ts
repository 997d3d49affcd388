import { isObject } from '../../kernel/json/json.js';

/** Deeper JSON is left as it is: no vendor takes it. */
const MAX_DEPTH = 1_000;

/**
 * The same JSON without halves of characters, which vendors refuse. What has none is not copied.
 */
export function wellFormed<T>(value: T, depth = 0): T {
  if (depth > MAX_DEPTH) return value;
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (Array.isArray(value)) return wellFormedList(value, depth + 1) as T;
  return isObject(value) ? (wellFormedObject(value, depth + 1) as T) : value;
}

function wellFormedList(list: readonly unknown[], depth: number): readonly unknown[] {
  const whole = list.map((item) => wellFormed(item, depth));
  return whole.every((item, at) => item === list[at]) ? list : whole;
}

function wellFormedObject(object: Readonly<Record<string, unknown>>, depth: number): object {
  let isChanged = false;
  const entries = Object.entries(object).map(([name, value]) => {
    const entry = [name.toWellFormed(), wellFormed(value, depth)] as const;
    isChanged ||= entry[0] !== name || entry[1] !== value;
    return entry;
  });
  return isChanged ? Object.fromEntries(entries) : object;
}
