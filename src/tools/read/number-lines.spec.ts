import fc from 'fast-check';
import { cutText } from '../../kernel/text/cut-text.js';
import { numberLines } from './number-lines.js';

const ALL = { offset: 1, limit: Infinity, room: Infinity, cut: cutText };

describe(numberLines.name, () => {
  it.each([
    ['', '', 0],
    ['a', '     1\ta', 1],
    ['a\n', '     1\ta', 1],
    ['a\n\n', '     1\ta\n     2\t', 2],
    ['\nb', '     1\t\n     2\tb', 2],
    ['a\r\nb\r\n', '     1\ta\n     2\tb', 2],
    ['a\rb\n', '     1\ta\rb', 1],
    ['a\r', '     1\ta\r', 1],
  ])('numbers the lines of %j', (text, shown, total) => {
    const page = { text: shown, total, last: total, is_full: false };
    expect(numberLines(text, ALL)).toEqual(page);
  });

  it('shows the lines that are asked for, and says how many there are', () => {
    expect(numberLines('a\nb\nc\nd\n', { ...ALL, offset: 2, limit: 2 })).toEqual({
      text: '     2\tb\n     3\tc',
      total: 4,
      last: 3,
      is_full: false,
    });
    expect(numberLines('a\n', { ...ALL, offset: 3 })).toMatchObject({
      text: '',
      last: 2,
      total: 1,
    });
  });

  it('cuts a long line, without half a character', () => {
    const line = `${'x'.repeat(1_999)}🎉rest`;
    expect(numberLines(line, ALL).text).toBe(`     1\t${'x'.repeat(1_999)} [… 6 more characters]`);
  });

  it('ends where the room does, and goes on from there without a gap', () => {
    const lines = fc.array(
      fc.string({ unit: fc.constantFrom('a', 'é', '🎉', ' '), maxLength: 60 }),
      {
        minLength: 30,
      },
    );
    fc.assert(
      fc.property(lines, fc.integer({ min: 200, max: 600 }), (given, room) => {
        const text = given.map((line) => `${line}\n`).join('');
        const pages: string[] = [];
        for (let offset = 1; offset <= given.length;) {
          const page = numberLines(text, { ...ALL, offset, limit: 1_000, room });
          expect(page.text.length).toBeLessThanOrEqual(room);
          expect(page.last).toBeGreaterThanOrEqual(offset);
          expect(page.is_full).toBe(page.last < given.length);
          pages.push(page.text);
          offset = page.last + 1;
        }
        expect(pages.join('\n')).toBe(numberLines(text, ALL).text);
      }),
    );
  });

  it('shows one line, or its beginning, however little room there is', () => {
    const page = numberLines('long line\nother', { ...ALL, room: 1 });
    expect(page).toMatchObject({ text: '     1\tl [… 8 more characters]', last: 1, is_full: true });
  });
});
