import { exactJson, ExactNumber, findInexact, parseExact, parseWithDigits } from './exact-json.js';

const INEXACT = [
  ['an integer beyond 2^53', '1234567890123456789'],
  ['a negative one', '-9007199254740993'],
  ['one with an exponent', '1234567890123456789e3'],
  ['a number that is infinite in a double', '1e400'],
  ['a number that is zero in a double', '1e-400'],
  ['a decimal with too many digits', '0.1234567890123456789'],
  ['digits on both sides of the point', '123456789.123456789'],
];

describe(parseExact.name, () => {
  it.each(INEXACT)('keeps %s', (_, text) => {
    const json = `{"a":[${text},"${text}"],"b":{"c":${text}}}`;
    const value = parseExact(json) as { a: unknown[] };
    expect(value.a[0]).toEqual(new ExactNumber(text));
    expect(value.a[1]).toBe(text);
    expect(exactJson(value)).toBe(json);
    expect(findInexact(json)).toBe(text);
  });

  it.each(['1.50', '1e21', '1E+2', '-0', '0e999', '-0.0', '1.0', '0.1e1'])(
    'keeps the characters of %s',
    (text) => {
      const json = `[${text},0,"${text}"]`;
      expect(exactJson(parseExact(json))).toBe(json);
    },
  );

  it.each(['9007199254740992', '0.1', '0', '-1', '1.5', '1e+21', '1e-7', '5e-324'])(
    'parses %s, which JavaScript writes so, as a number',
    (text) => {
      expect(parseExact(text)).toBe(Number(text));
    },
  );

  it('leaves digits in strings and names alone', () => {
    const json = '{"1234567890123456789":"\\"1234567890123456789,\\\\","e":"1e400"}';
    expect(findInexact(json)).toBeUndefined();
    expect(parseExact(json)).toEqual(JSON.parse(json));
  });

  it.each(['123456789012345.678.9', '[1e400', '01234567890123456789', '1e400e1'])(
    'refuses %s, which is not JSON',
    (text) => {
      expect(() => parseExact(text)).toThrow(SyntaxError);
    },
  );
});

describe(parseWithDigits.name, () => {
  it.each(INEXACT)('keeps %s as text', (_, text) => {
    expect(parseWithDigits(`[${text},2]`)).toEqual([text, 2]);
  });

  it.each([
    '9007199254740992',
    '0.1',
    '1.50',
    '1e21',
    '1E+2',
    '-0',
    '0e999',
    '5e-324',
    '0.000000000000000000001',
  ])('parses %s, which a double holds, as a number', (text) => {
    expect(parseWithDigits(text)).toBe(Number(text));
    expect(findInexact(text)).toBeUndefined();
  });
});
