import { showInput } from './cut-text.js';

describe(showInput.name, () => {
  it('shows a short input whole, on one line', () => {
    expect(showInput({ text: 'a\nb', n: [1, 2] })).toBe('{"text":"a\\nb","n":[1,2]}');
  });

  it('cuts a long one, and no character in two', () => {
    const start = '{"text":"'.length;
    const long = 'x'.repeat(299 - start);
    expect(showInput({ text: `${long}yz` })).toBe(`{"text":"${long}y…`);
    expect(showInput({ text: `${long}😀` })).toBe(`{"text":"${long}…`);
  });
});
