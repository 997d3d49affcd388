import { applyPatch } from 'diff';
import fc from 'fast-check';
import { cutText } from '../../kernel/text/cut-text.js';
import { showDiff } from './show-diff.js';

const diff = (before: string | undefined, after: string) =>
  showDiff({ path: 'a.txt', before, after }, cutText);

describe(showDiff.name, () => {
  it('shows what changes, with three lines around it', () => {
    const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
    expect(diff(before, before.replace('5', 'five'))).toEqual({
      added: 1,
      removed: 1,
      text: '--- a.txt\n+++ a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8',
    });
  });

  it('shows a new file', () => {
    const text = '--- /dev/null\n+++ a.txt\n@@ -0,0 +1,2 @@\n+a\n+b';
    expect(diff(undefined, 'a\nb\n')).toEqual({ added: 2, removed: 0, text });
  });

  it('says when the last line has no newline', () => {
    expect(diff('a\n', 'a').text).toMatch(/-a\n\+a\n\\ No newline at end of file$/);
  });

  it('does not take line endings for changes', () => {
    expect(diff('a\r\nb\r\n', 'a\nc\n')).toMatchObject({ added: 1, removed: 1 });
  });

  it('can be applied: it is what would change', () => {
    const texts = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 30 });
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { text } = diff(before.join(''), after.join(''));
        expect(applyPatch(before.join(''), `${text}\n`)).toBe(after.join(''));
      }),
    );
  });

  it('shows characters that nobody sees, and those that turn others around', () => {
    const { text } = diff('a\n', 'a\u202eb\u200b\u001b[2Kc\td\u{e0041}\n');
    expect(text).toContain('+a\\u{202e}b\\u{200b}\\u{1b}[2Kc\td\\u{e0041}');
  });

  it('shows the beginning of a long one, and of long lines', () => {
    const { added, text } = diff('', `${'x'.repeat(100_000)}\n${'y\n'.repeat(50_000)}`);
    expect(added).toBe(50_001);
    expect(text.length).toBeLessThan(9_000);
    expect(text).toMatch(/x \[… \d+ more characters\]\n\+y\n/);
    expect(text).toMatch(/\n\[… \d+ more lines of the difference\]$/);
  });

  it('does not search for what very different texts have in common', () => {
    const lines = (start: string) =>
      Array.from({ length: 100_000 }, (_, at) => `${start}${at}\n`).join('');
    expect(diff(lines('a'), lines('b'))).toMatchObject({ added: 100_000, removed: 100_000 });
  });

  it('counts millions of lines that it does not show', () => {
    const { added, removed, text } = diff('a\n'.repeat(2_000_000), 'b\n'.repeat(1_000_000));
    expect([added, removed]).toEqual([1_000_000, 2_000_000]);
    const lines = text.split('\n').length - 4;
    expect(text).toMatch(new RegExp(`\\[… ${3_000_000 - lines} more lines of the difference\\]$`));
  });

  it('shows from the first to the last line that differs when a smaller one would take too long', () => {
    const middle = (start: string) => Array.from({ length: 3_000 }, (_, at) => `${start}${at}\n`);
    const [before, after] = [middle('a'), middle('b')].map((lines) => `x\n${lines.join('')}z\n`);
    const { added, removed, text } = diff(before, after!);
    expect([added, removed]).toEqual([3_000, 3_000]);
    expect(text).toContain('@@ -2,3000 +2,3000 @@\n-a0\n');
  });

  it('does not search texts that are very large for the smallest difference', () => {
    const middle = 'a line in the middle\n'.repeat(30_000);
    const { added, text } = diff(`a\n${middle}a\n`, `b\n${middle}b\n`);
    expect(added).toBe(30_002);
    expect(text.match(/^@@/gm)).toEqual(['@@']);
  });
});
