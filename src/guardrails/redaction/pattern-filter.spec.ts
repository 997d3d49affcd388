import { jest } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/thoroughness.js';
import { LinearRegex } from '../../matching/linear-regex.js';
import { MAX_MATCH, PatternFilter } from './pattern-filter.js';

const PATTERNS = [
  pattern('email', '[a-z.]+@[a-z.]+'),
  pattern('card', '\\b\\d{4}-\\d{4}\\b', '****'),
  pattern('tag', '<[^>]{0,40}>'),
  pattern('mark', 'CANARY-[0-9]+'),
  pattern('start', '^secret:\\S{1,20}'),
];

function pattern(name: string, regex: string, replacement = `[redacted: ${name}]`) {
  return { name, regex: LinearRegex.compile(regex), replacement };
}

function redact(...pieces: string[]): string {
  const filter = new PatternFilter(PATTERNS);
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
}

describe(PatternFilter.name, () => {
  it('replaces matches and counts them by name', () => {
    const filter = new PatternFilter(PATTERNS);
    const text = 'secret:x ask a.b@c.de or b@c.de, card 1234-5678, not 12345-5678, secret:y';
    expect(filter.push(text) + filter.end()).toBe(
      '[redacted: start] ask [redacted: email] or [redacted: email], card ****, not 12345-5678, secret:y',
    );
    expect(filter.remark).toBe('Text was redacted: start (1×), email (2×), card (1×).');
    expect(new PatternFilter(PATTERNS).remark).toBeUndefined();
  });

  it('makes one of matches that overlap, so that no end of one is left', () => {
    expect(redact('<see a@b.cd>.')).toBe('[redacted: tag].');
    expect(redact('(<to a@b>@c.d')).toBe('([redacted: tag]@c.d');
    expect(redact('a@b.CANARY-1CANARY-2')).toBe(
      '[redacted: email][redacted: mark][redacted: mark]',
    );
  });

  it('holds back no more than the longest match, and passes the rest on', () => {
    const filter = new PatternFilter(PATTERNS);
    const shown = Array.from({ length: 100 }, () => filter.push('0123456789')).join('');
    expect(shown.length).toBeGreaterThan(1000 - MAX_MATCH - 50);
    expect(shown + filter.end()).toBe('0123456789'.repeat(100));
  });

  it('replaces a match that grows beyond what is held back', () => {
    const long = `CANARY-${'1'.repeat(10 * MAX_MATCH)}`;
    expect(redact('x'.repeat(300), ...(long.match(/[^]{1,7}/g) ?? []), '. End')).toBe(
      `${'x'.repeat(300)}[redacted: mark]. End`,
    );
  });

  it('shows no beginning of a match, wherever the pieces end', () => {
    for (let shift = 0; shift < 40; shift++)
      for (const begun of ['C', 'CANARY', 'CANARY-1']) {
        const filter = new PatternFilter(PATTERNS);
        const before = '. '.repeat(MAX_MATCH) + '!'.repeat(shift);
        const shown = filter.push(before + begun);
        expect(before.startsWith(shown)).toBe(true);
        const rest = filter.push(`${'CANARY-12'.slice(begun.length)} ${before}`) + filter.end();
        expect(shown + rest).toBe(`${before}[redacted: mark] ${before}`);
      }
  });

  it('says the same wherever the text is cut, and never shows what the whole does not', () => {
    const part = fc.oneof(
      fc.constantFrom('a.b@c.de', '1234-5678', '<x>', '<', '>', 'CANARY-12', 'CANARY', '-', '1234'),
      fc.constantFrom('secret:x', ' ', '\u{1f99c}', '\ud83e', '-'.repeat(90), '@', '5678'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    const padding = fc.nat(2 * MAX_MATCH).map((length) => '. '.repeat(length));
    const texts = fc
      .tuple(fc.array(part, { maxLength: 30 }), padding, fc.array(part, { maxLength: 30 }))
      .map(([before, pad, after]) => before.join('') + pad + after.join(''));
    const cuts = fc.array(fc.nat(), { maxLength: 40 });
    fc.assert(
      fc.property(texts, cuts, (text, at) => {
        const whole = redact(text);
        const places = [...new Set(at.map((n) => n % (text.length + 1)))].toSorted((a, b) => a - b);
        const filter = new PatternFilter(PATTERNS);
        let shown = '';
        for (const [i, from] of [0, ...places].entries()) {
          shown += filter.push(text.slice(from, places[i]));
          expect(whole.startsWith(shown)).toBe(true);
        }
        expect(shown + filter.end()).toBe(whole);
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each(['a', 'a@b ', '<', 'CANARY-1', '1234-'])(
    'searches in proportion to the text, in large and small pieces of %j',
    (unit) => {
      for (const piece of [4, 200_000]) {
        const [few, many] = [40_000, 160_000].map((length) => searched(unit, length, piece));
        expect(many! / few!).toBeLessThan(6);
      }
    },
  );
});

/** Number of the characters in which the filter searches while it reads a text. */
function searched(unit: string, length: number, piece: number): number {
  const spansIn = jest.spyOn(LinearRegex.prototype, 'spansIn');
  redact(...(unit.repeat(length / unit.length).match(new RegExp(`[^]{1,${piece}}`, 'g')) ?? []));
  const lengths = spansIn.mock.calls.map(([text, from = 0]) => text.length - from);
  spansIn.mockRestore();
  return lengths.reduce((sum, each) => sum + each, 0);
}
