import { isDeeperThan } from './is-deeper-than.js';

const isDeeper = (levels: number, text: string): boolean => isDeeperThan(levels, Buffer.from(text));

describe(isDeeperThan.name, () => {
  it('counts objects and arrays inside each other, and not beside each other', () => {
    expect(isDeeper(3, '{"a":[{}],"b":[[],[]]}')).toBe(false);
    expect(isDeeper(2, '{"a":[{}],"b":[[],[]]}')).toBe(true);
    expect(isDeeper(0, '"flat"')).toBe(false);
  });

  it('looks into no text, however it is written', () => {
    const text = JSON.stringify({ '[[': '{{{[ \\', '"[': '\\"[[[', 'ü["\\': '日[[' });
    expect(isDeeper(1, text)).toBe(false);
    expect(isDeeper(1, text.replace('}', ',"a":[]}'))).toBe(true);
    expect(isDeeper(1, `[${text}]`)).toBe(true);
  });

  it('answers for what is no JSON, too', () => {
    expect(isDeeper(2, ']]]]"[[[[[[')).toBe(false);
    expect(isDeeper(2, '[[[')).toBe(true);
  });
});
