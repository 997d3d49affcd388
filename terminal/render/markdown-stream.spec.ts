import fc from 'fast-check';
import { MarkdownStream } from './markdown-stream.js';
import { lineWidth, paint, textOf } from './span.js';
import type { Line } from './span.js';

const view = { width: 40 };
const SAMPLE = `# Rivers

A river **flows** to \`the sea\`, see [the map](https://x.example/map), and it is quite long.

- one item that is longer than a line, so that it wraps
- two
  1. inner
  2. inner two

> quoted
> text

| name | length |
| --- | ---: |
| Rhine | 1233 |
| 長江 | 6300 |

\`\`\`js
const a = 1;
}
\`\`\`

The ~~end~~ *is* near.
`;

function drawn(pieces: readonly string[], width = view.width): string[] {
  const stream = new MarkdownStream();
  const at = { ...view, width };
  const lines = pieces.flatMap((piece) => {
    stream.write(piece);
    return stream.take(at);
  });
  return [...lines, ...stream.end(at)].map(textOf);
}

function letters(lines: readonly string[]): string {
  return lines.join('').replaceAll(/\P{Letter}/gu, '');
}

describe(MarkdownStream.name, () => {
  it('draws each kind of block', () => {
    expect(drawn([SAMPLE])).toEqual([
      'Rivers',
      '',
      'A river flows to the sea, see the map',
      '(https://x.example/map), and it is quite',
      'long.',
      '',
      '• one item that is longer than a line,',
      '  so that it wraps',
      '• two',
      '  1. inner',
      '  2. inner two',
      '',
      '│ quoted',
      '│ text',
      '',
      'name  │ length',
      '──────────────',
      'Rhine │   1233',
      '長江  │   6300',
      '',
      '  const a = 1;',
      '  }',
      '',
      'The end is near.',
    ]);
  });

  it('draws the same, however the text arrives', () => {
    const text = SAMPLE.replace('[the map](https://x.example/map)', 'the map');
    const whole = drawn([text]);
    expect(drawn(Array.from(text))).toEqual(whole);
    expect(drawn(text.split(/(?<=\s)/))).toEqual(whole);
  });

  it.each([
    (text: string) => text,
    (text: string) => `# ${text}`,
    (text: string) => `- ${text}\n- b`,
    (text: string) => `> ${text}`,
    (text: string) => `**${text}** *${text}* ~~${text}~~`,
    (text: string) => `[${text}](https://x.example/${text} "${text}")`,
    (text: string) => `![${text}](https://x.example/a.png)`,
    (text: string) => `<${text}@x.example> <b title="${text}">`,
    (text: string) => `| ${text} | b |\n| --- | --- |\n| ${text} | \`${text}\` |`,
    (text: string) => `\`${text}\``,
    (text: string) => `\`\`\`${text}\n${text}\n\`\`\``,
    (text: string) => `\\${text}`,
  ])('prints no control character that the source names or has: %s', (make) => {
    const codes = [0x1b, 0x7, 0x8, 0xd, 0x9b, 0x9d, 0x202e, 0x200b];
    const forms = codes.flatMap((code) => [
      `&#${code};`,
      `&#x${code.toString(16)};`,
      String.fromCodePoint(code),
    ]);
    for (const form of forms) {
      const lines = drawn([`${make(`a${form}]52;c;x${form}b`)}\n`]);
      // oxlint-disable-next-line no-control-regex -- it looks for them
      expect(lines.join('\n')).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u202E]/);
    }
  });

  it('gives out lines before their block ends', () => {
    const stream = new MarkdownStream();
    stream.write('word '.repeat(20));
    expect(stream.take(view).map(textOf)).toHaveLength(2);
    expect(textOf(stream.tail.at(-1)!)).toBe('word word word word');
  });

  it('neither loses nor doubles a letter, for any markup and any cuts', () => {
    const word = fc.constantFrom(
      ...['**', '*', '_', '`', '~~', '[', '](u)', '\n', '\n\n', '- ', '1. ', '> ', '# ', '    '],
      ...['alpha', 'beta', '7', ' ', ' ', '|', '---', '``', '日本', 'x'.repeat(50)],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (pieces) => {
        const source = letters([pieces.join('')]);
        expect(letters(drawn(pieces))).toBe(letters(drawn([pieces.join('')])));
        expect(letters(drawn(pieces)).length).toBeGreaterThanOrEqual(source.length - 60);
      }),
      { numRuns: 300 },
    );
  });

  it.each([1, 2, 5, 20])('keeps within %d columns where words can be broken', (width) => {
    for (const line of drawn(['word **bold** `code` 日本語 - list\n\n- a\n  - b'], width))
      expect(line.length).toBeLessThanOrEqual(Math.max(width, 6));
  });

  it.each(['x', '日本', 'word ', '*', '> ', '- ', '1. ', '*a **b ', '`a', '| a ', '[', '\\'])(
    'takes a line of 80 kB of %j in bounded steps',
    (piece) => {
      const stream = new MarkdownStream();
      const text = piece.repeat(80_000 / piece.length);
      const lines: Line[] = [];
      for (let at = 0; at < text.length; at += 8_000) {
        stream.write(text.slice(at, at + 8_000));
        lines.push(...stream.take(view));
      }
      lines.push(...stream.end(view));
      expect(lines.length).toBeGreaterThan(0);
      if (piece === 'x') expect(lines.map(textOf).join('')).toHaveLength(text.length);
      for (const line of lines.slice(0, 50)) expect(lineWidth(line)).toBeLessThanOrEqual(40);
    },
  );

  it.each([
    (levels: number) => `${'- '.repeat(levels)}x`,
    (levels: number) => `${'> '.repeat(levels)}x`,
    (levels: number) => `${'*a **b '.repeat(levels)}${'c** d*'.repeat(levels)}`,
    (levels: number) => `a | b\n- | -\n${'*a **b '.repeat(levels)}${'c** d*'.repeat(levels)} | x`,
  ])('draws markup that is nested too deeply as it is: %s', (make) => {
    for (const levels of [100, 250, 600, 900]) {
      const source = make(levels);
      expect(letters(drawn([source]))).toBe(letters([source]));
    }
  });

  it('marks bold text while it is still open', () => {
    const stream = new MarkdownStream();
    stream.write('so **bold te');
    stream.take(view);
    expect(paint(stream.tail[0]!, true)).toBe('so \u001B[1mbold te\u001B[0m');
  });
});
