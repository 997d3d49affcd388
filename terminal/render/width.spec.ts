import { cutTo, headOf, padTo, tailOf, widthOf } from './width.js';

describe(widthOf.name, () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['é', 1],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['한글', 4],
    ['ＡＢ', 4],
    ['', 0],
    ['…', 1],
    ['각', 2],
    ['\u1100\u1161\u11A8', 2],
    ['\u1100'.repeat(40), 80],
    ['👩\u200D'.repeat(40), 80],
    ['e\u0301', 1],
  ])('%s takes %d cells', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

it('cuts at whole characters', () => {
  expect(cutTo('日本語', 4)).toBe('日…');
  expect(cutTo('日本語', 6)).toBe('日本語');
  expect(cutTo('hello', 3)).toBe('he…');
  expect(headOf('a👍b', 2)).toBe('a');
  expect(tailOf('hello', 3)).toBe('…lo');
  expect(tailOf('日本語', 5)).toBe('…本語');
  expect(padTo('日', 4)).toBe('日  ');
});

it('looks at no more of a long text than can be shown', () => {
  expect(cutTo('x'.repeat(5_000_000), 10)).toBe('xxxxxxxxx…');
  expect(tailOf('日'.repeat(2_000_000), 5)).toBe('…日日');
});
