import { isObject } from '../../kernel/json.js';

/**
 * The same JSON without halves of characters, which vendors refuse. What has none is not copied.
 */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (Array.isArray(value)) return wellFormedList(value) as T;
  return isObject(value) ? (wellFormedObject(value) as T) : value;
}

function wellFormedList(list: readonly unknown[]): readonly unknown[] {
  const whole = list.map(wellFormed);
  return whole.every((item, at) => item === list[at]) ? list : whole;
}

function wellFormedObject(object: Readonly<Record<string, unknown>>): object {
  let isChanged = false;
  const entries = Object.entries(object).map(([name, value]) => {
    const entry = [name.toWellFormed(), wellFormed(value)] as const;
    isChanged ||= entry[0] !== name || entry[1] !== value;
    return entry;
  });
  return isChanged ? Object.fromEntries(entries) : object;
}
