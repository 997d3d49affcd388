import { BlockReader } from './blocks';

const TEXT = `# Title

A paragraph
over two lines.

- one
- two

  still two

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

The end.
`;

describe(BlockReader.name, () => {
  it('reads a text that grows as it reads the whole', () => {
    const whole = new BlockReader().blocks(TEXT, false).tokens.map(({ raw }) => raw);
    for (const step of [1, 3, 17]) {
      const reader = new BlockReader();
      for (let length = 0; length < TEXT.length; length += step)
        reader.blocks(TEXT.slice(0, length), true);
      expect(reader.blocks(TEXT, true).tokens.map(({ raw }) => raw)).toEqual(whole);
    }
  });

  it('begins anew when the text is another one', () => {
    const reader = new BlockReader();
    reader.blocks('# One\n\ntwo\n\nthree\n\nfour', true);
    expect(reader.blocks('# Other', true).tokens).toMatchObject([{ type: 'heading' }]);
  });

  it('leaves the end of a very long text as it is', () => {
    const { tokens, rest } = new BlockReader().blocks('word '.repeat(100_000), false);
    expect(rest.length).toBe(400_000);
    expect(tokens).toHaveLength(1);
  });

  it('survives what is nested without end', () => {
    for (const text of ['>'.repeat(20_000), '['.repeat(20_000), '- '.repeat(20_000)])
      expect(new BlockReader().blocks(text, false).tokens.length).toBeGreaterThan(0);
  });

  it('leaves a line of very many levels as it is, and reads a ruler', () => {
    for (const text of ['- '.repeat(400), '> - '.repeat(200), '>'.repeat(400), '1. '.repeat(400)])
      expect(new BlockReader().blocks(`${text}x`, false).tokens).toMatchObject([{ type: 'text' }]);
    expect(new BlockReader().blocks('-'.repeat(400), false).tokens).toMatchObject([{ type: 'hr' }]);
  });

  it('does not look for emphasis in a paragraph without end', () => {
    const [paragraph] = new BlockReader().blocks('_a'.repeat(50_000), false).tokens;
    expect(paragraph).toMatchObject({ type: 'paragraph', tokens: [{ type: 'text' }] });
    const [short] = new BlockReader().blocks(`${'_a'.repeat(100)} *b*`, false).tokens;
    expect((short as { tokens: object[] }).tokens.at(-1)).toMatchObject({ type: 'em' });
  });
});
