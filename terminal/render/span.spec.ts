import { paint, span, textOf, wrap } from './span.js';

const lines = (text: string, width: number): string[] => wrap([span(text)], width).map(textOf);

describe(wrap.name, () => {
  it.each([
    ['one two three', 8, ['one two', 'three']],
    ['one\ntwo', 8, ['one', 'two']],
    ['  two spaces', 8, ['  two', 'spaces']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['日本語です', 4, ['日本', '語で', 'す']],
    ['a b', 1, ['a', 'b']],
    ['', 5, ['']],
    ['日', 1, ['', '日']],
  ])('breaks %j at %d', (text, width, expected) => {
    expect(lines(text, width)).toEqual(expected);
  });

  it('hangs the lines after the first', () => {
    const indent = { first: [span('1. ')], rest: [span('   ')] };
    expect(wrap([span('one two')], 7, indent).map(textOf)).toEqual(['1. one', '   two']);
  });

  it('keeps styles across lines', () => {
    const [first, second] = wrap([span('one ', '1'), span('two', '1')], 3);
    expect([first, second]).toEqual([[span('one', '1')], [span('two', '1')]]);
  });
});

it('paints with colours, or none', () => {
  const line = [span('a', '31'), span('b')];
  expect(paint(line, true)).toBe('\u001B[31ma\u001B[0mb');
  expect(paint(line, false)).toBe('ab');
});
