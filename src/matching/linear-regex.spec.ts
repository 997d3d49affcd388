import { expectLinear } from '../../test/support/growth.js';
import { atOnce } from '../kernel/async/sliced.js';
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

  describe('in a long text', () => {
    const PART = 256 * 1024;
    const AHEAD = 64 * 1024;
    const at = (...places: readonly (readonly [number, string])[]): string => {
      let text = '';
      for (const [place, piece] of places) text += '.'.repeat(place - text.length) + piece;
      return text + '.'.repeat(AHEAD + 9);
    };
    const near = [-5, -1, 0, 3];
    const texts: readonly (readonly [string, string])[] = [
      ...near.map((by) => [`a match ${by} of an edge`, at([PART - AHEAD + by, 'abcde'])] as const),
      ...near.map((by) => [`a match ${by} of an end`, at([PART + by, 'abcde'])] as const),
      ['a match that goes on', at([9, `a${'b'.repeat(2 * PART)}e`])],
      ['a long match', at([PART - AHEAD - 1, `a${'b'.repeat(AHEAD - 9)}e`])],
      ['one match after the other', at([100, 'abcde'.repeat(PART / 4)])],
      ['surrogate pairs', `.${'\u{1f600}'.repeat(PART / 2)}abcde${'\u{1f600}'.repeat(PART / 4)}`],
    ];

    it.each(
      texts.flatMap(([name, text]) =>
        ['abc?', 'b*', '\\bab', '[^.a]b?', '^\\.|.$'].map(
          (pattern) => [pattern, name, text] as const,
        ),
      ),
    )('finds the same matches of %s as a search at once: %s', (pattern, _, text) => {
      const found = atOnce(LinearRegex.compile(pattern).spansIn(text));
      const expected = [...text.matchAll(new RegExp(pattern, 'gu'))]
        .filter(([match]) => match !== '')
        .map((match) => [match.index, match.index + match[0].length]);
      expect(found.length).toBe(expected.length);
      expect(JSON.stringify(found) === JSON.stringify(expected)).toBe(true);
    });

    it('finds a match that so many characters decide', () => {
      const text = at([PART - AHEAD - 1, `a${'b'.repeat(AHEAD - 9)}e`]);
      const [span] = atOnce(LinearRegex.compile('ab+e').spansIn(text));
      expect(span).toEqual([PART - AHEAD - 1, PART - 8]);
    });

    it('searches in parts', () => {
      const work = LinearRegex.compile('never').spansIn('a'.repeat(4 * PART));
      let parts = 0;
      while (!work.next().done) parts++;
      expect(parts).toBeGreaterThanOrEqual(4);
    });
  });
});
