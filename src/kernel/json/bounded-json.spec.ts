import { DOCUMENT_LIMITS, MESSAGE_LIMITS, isObjectText, parseBounded } from './bounded-json.js';

const { depth, values, fields } = DOCUMENT_LIMITS;
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const list = (items: number): string => `{"a":[${'1,'.repeat(items - 1)}1]}`;
const object = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;

describe(parseBounded.name, () => {
  it.each([
    ['nesting', nested(depth), nested(depth + 1)],
    ['values', list(values - 2), list(values + 1)],
    ['fields', object(fields), object(fields + 1)],
  ])('takes up to the limit of %s', (_, most, more) => {
    expect(parseBounded(most)).toEqual(JSON.parse(most));
    expect(isObjectText(most)).toBe(true);
    expect(() => parseBounded(more)).toThrow(SyntaxError);
    expect(isObjectText(more)).toBe(false);
    expect(parseBounded(more, MESSAGE_LIMITS)).toEqual(JSON.parse(more));
  });

  it('does not count what is in texts', () => {
    const text = { a: `${'[{,'.repeat(values)}"\\` };
    expect(parseBounded(JSON.stringify(text))).toEqual(text);
  });

  it('refuses what is no JSON', () => {
    expect(() => parseBounded('{"a":')).toThrow(SyntaxError);
    expect([isObjectText('[]'), isObjectText('null'), isObjectText('{}')]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
