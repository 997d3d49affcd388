import { outputIdOf, outputPath } from '../text/output-path.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { showOutput } from './show-text.js';

const ALL = { offset: 1, limit: 2_000, room: 30_000, cut: cutText };

describe(showOutput.name, () => {
  it('numbers the lines, and goes on where it is told to', () => {
    expect(showOutput('p', 'a\nb\nc', ALL).text).toBe('     1\ta\n     2\tb\n     3\tc');
    expect(showOutput('p', 'a\nb\nc', { ...ALL, offset: 2, limit: 1 }).text).toBe(
      '     2\tb\n[Lines 2 to 2 of 3. For more, read on with offset 3.]',
    );
  });

  it('breaks a line that is too long, so that all of it can be read', () => {
    const output = `${'x'.repeat(1_499)}🎉${'y'.repeat(3_000)}`;
    const { text } = showOutput('p', output, ALL);
    const lines = text.split('\n').map((line) => line.replace(/^ *\d+\t/, ''));
    expect(lines.join('')).toBe(output);
    expect(Math.max(...lines.map(({ length }) => length))).toBe(1_500);
  });

  it('says so when there is none', () => {
    expect(() => showOutput('p', undefined, ALL)).toThrow(
      /no earlier call of this chat has that id/,
    );
  });
});

describe(outputIdOf.name, () => {
  it('knows the paths that stand for outputs, and no others', () => {
    expect(outputIdOf(outputPath('call_1-a'))).toBe('call_1-a');
    expect(outputIdOf('./.parley/outputs/c.txt')).toBe('c');
    for (const path of [
      '.parley/outputs/../c.txt',
      '.parley/outputs/a/b.txt',
      'x/.parley/outputs/c.txt',
      '.parley/outputs/c',
    ])
      expect(outputIdOf(path)).toBeUndefined();
  });
});
