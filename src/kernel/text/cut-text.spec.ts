import { cutText } from './cut-text.js';

describe(cutText.name, () => {
  it.each([
    ['abc', 2, 'ab'],
    ['abc', 5, 'abc'],
    ['a😀b', 2, 'a'],
    ['a😀b', 3, 'a😀'],
    ['a\ud83d', 2, 'a\ufffd'],
    ['\ude00a😀', 3, '\ufffda'],
    ['👨‍👩‍👧', 4, '👨‍'],
    ['😀', 0, ''],
  ])('cuts %j to %i: %j', (text, length, expected) => {
    expect(cutText(text, length)).toBe(expected);
    expect(cutText(text, length).isWellFormed()).toBe(true);
  });
});
