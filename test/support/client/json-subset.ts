/** In an expected text: any text. As an item of an expected list: any items, once in it. */
const ANY = '…';
/** Of a value in a fault, in characters. */
const MAX_SHOWN = 1_000;

/**
 * Where `actual` has something else than `expected` says; empty when it has it all. Objects may
 * have more fields than expected, lists no more items. A field that is expected to be null may be
 * missing.
 */
export function missingIn(actual: unknown, expected: unknown, path = ''): string[] {
  if (Array.isArray(expected)) return missingItems(actual, expected, path);
  if (typeof expected === 'object' && expected !== null)
    return Object.entries(expected).flatMap(([key, value]) =>
      missingIn(fieldOf(actual, key), value, `${path}.${key}`),
    );
  return isLike(actual, expected) ? [] : [differs(actual, expected, path)];
}

function missingItems(actual: unknown, expected: readonly unknown[], path: string): string[] {
  if (!Array.isArray(actual)) return [differs(actual, expected, path)];
  const gap = expected.indexOf(ANY);
  const tail = gap === -1 ? 0 : expected.length - gap - 1;
  const isLong = gap === -1 ? actual.length === expected.length : actual.length >= gap + tail;
  if (!isLong) return [differs(actual, expected, `${path} (${actual.length} items)`)];
  return expected.flatMap((item, at) => {
    if (at === gap) return [];
    const place = gap !== -1 && at > gap ? actual.length - (expected.length - at) : at;
    return missingIn(actual[place], item, `${path}[${place}]`);
  });
}

function isLike(actual: unknown, expected: unknown): boolean {
  if (expected === null) return actual === null || actual === undefined;
  if (actual === expected || typeof actual !== 'string' || typeof expected !== 'string')
    return actual === expected;
  const parts = expected.split(ANY).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return parts.length > 1 && new RegExp(`^${parts.join('[^]*')}$`).test(actual);
}

function fieldOf(actual: unknown, key: string): unknown {
  return typeof actual === 'object' && actual !== null
    ? (actual as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function differs(actual: unknown, expected: unknown, path: string): string {
  return `${path}: ${shown(actual)} is not ${shown(expected)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
