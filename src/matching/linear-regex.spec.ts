import { expectLinear } from '../../test/support/growth.js';
import { LinearRegex } from './linear-regex.js';

describe(LinearRegex.name, () => {
  it('finds anywhere, begins at the start, covers all', () => {
    const regex = LinearRegex.compile('b+');
    expect([
      regex.finds('abc'),
      regex.begins('abc'),
      regex.begins('bc'),
      regex.covers('bb'),
    ]).toEqual([true, false, true, true]);
  });

  it.each(['(a+)+$', '(a|a)*$', '(a*)*b', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'takes linear time for %s, which keeps others busy for ever',
    async (pattern) => {
      const regex = LinearRegex.compile(pattern);
      await expectLinear((size) => {
        const text = `${'a'.repeat(size)}!`;
        return () => regex.finds(text);
      }, 20_000);
    },
  );

  it('does not begin what would take too long', () => {
    const regex = LinearRegex.compile('(?:a?){500}a{500}');
    expect(regex.finds('a'.repeat(20_000))).toBe('too much');
    expect(regex.finds('a'.repeat(500))).toBe(true);
  });

  it.each(['(', '[', 'a{2,1}', '(?=a)', '(?<!a)b(', '\\1', 'a{100000}', '(((a{100}){100}){100})'])(
    'refuses %s',
    (pattern) => {
      expect(() => LinearRegex.compile(pattern)).toThrow(
        /^(?:missing|invalid|unexpected|bad|too|expression)/,
      );
    },
  );
});
