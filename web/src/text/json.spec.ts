import { describe, expect, it } from '@jest/globals';
import { findInexact, layOutJson, parseObject } from './json';

describe(layOutJson.name, () => {
  it.each([
    ['{}', '{}'],
    ['[ ]', '[]'],
    ['{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}'],
    ['{"id":12345678901234567890}', '{\n  "id": 12345678901234567890\n}'],
    [String.raw`{"a":"\u0065{,}\"\n"}`, '{\n  "a": "e{,}\\"\\n"\n}'],
    ['{"a":', '{"a":'],
  ])('lays out %s', (text, shown) => {
    expect(layOutJson(text)).toBe(shown);
  });
});

describe(findInexact.name, () => {
  it.each([
    ['{"a":9007199254740993}', '9007199254740993'],
    ['{"a":0.1234567890123456789}', '0.1234567890123456789'],
    ['[1e999]', '1e999'],
    ['{"a":1.50,"b":1e2,"c":100,"d":-0.0,"e":1E+2,"f":0.001}', undefined],
    ['{"9007199254740993":"9007199254740993"}', undefined],
  ])('finds in %s', (text, number) => {
    expect(findInexact(text)).toBe(number);
  });
});

describe(parseObject.name, () => {
  it('is undefined for what is no object', () => {
    expect([parseObject('[]'), parseObject('{'), parseObject('null')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
