/**
 * A replacer for `JSON.stringify`: clients send back what they got, and requests may not have
 * U+0000 and U+0001.
 */
export function sendable(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replaceAll('\0', '\ufffd').replaceAll('\u0001', '\ufffd');
}
