import { CodeColours } from './code-colours';
import type { Highlighted } from './code-colours';

/** Colours each slice as a whole, on a clock that shows what that took. */
function coloursOf(msFor: (code: string) => number = () => 0) {
  const sent: string[] = [];
  let now = 0;
  const highlight = (code: string): Highlighted[] => {
    sent.push(code);
    now += msFor(code);
    return [{ className: 'hljs-keyword', children: [code] }];
  };
  const colours = new CodeColours(highlight, () => now);
  const nodesOf = (code: string): Highlighted[] =>
    [...colours.of(code, 'java')].flatMap(({ nodes }) => nodes);
  return { colours, nodesOf, sent };
}

const textOf = (nodes: readonly Highlighted[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');

const lines = (count: number, text = 'let a = 1;') =>
  Array.from({ length: count }, (_, index) => `${text} // ${index}\n`).join('');

describe(CodeColours.name, () => {
  it.each([
    ['', 0],
    ['a', 1],
    [`${lines(3)}the last`, 1],
    [lines(1_000), 9],
    ['a'.repeat(500), 1],
    [lines(8, 'a'.repeat(480)), 2],
  ])('colours a text in slices of 2,000 characters at most (%#)', (code, least) => {
    const { nodesOf, sent } = coloursOf();
    expect(textOf(nodesOf(code))).toBe(code);
    expect(sent.join('')).toBe(code);
    expect(sent.length).toBeGreaterThanOrEqual(least);
    expect(Math.max(0, ...sent.map(({ length }) => length))).toBeLessThanOrEqual(2_000);
  });

  it.each(['a'.repeat(501), 'a'.repeat(50_000), '[a]('.repeat(10_000)])(
    'leaves a line plain that is too long, and no other (%#)',
    (long) => {
      const { nodesOf, sent } = coloursOf();
      const code = `${lines(2)}${long}\n${lines(3)}${long}`;
      expect(textOf(nodesOf(code))).toBe(code);
      expect(sent).toEqual([lines(2), lines(3)]);
    },
  );

  it('cuts after a paragraph', () => {
    const { nodesOf, sent } = coloursOf();
    const paragraph = `${lines(80)}\n`;
    nodesOf(paragraph + lines(80));
    expect(sent).toEqual([paragraph, lines(80)]);
  });

  it('leaves plain what is left after its time, and remembers that', () => {
    const { nodesOf, sent } = coloursOf(() => 400);
    const code = lines(1_000);
    const nodes = nodesOf(code);
    expect(textOf(nodes)).toBe(code);
    expect(nodes.map((node) => typeof node).slice(0, 5)).toEqual([
      ...['object', 'object', 'object'],
      ...['string', 'string'],
    ]);
    expect(sent).toHaveLength(3);
    expect(nodesOf(code)).toEqual(nodes);
    expect(sent).toHaveLength(3);
  });

  it('colours only the end of a text that has grown', () => {
    const { colours, nodesOf, sent } = coloursOf(() => 5);
    nodesOf(lines(1_000));
    const before = sent.length;
    const again = [...colours.of(lines(1_001), 'java')];
    expect(sent.length - before).toBe(1);
    expect(again.map(({ took_ms }) => took_ms)).toEqual([...again.slice(1).map(() => 0), 5]);
  });

  it('keeps a language apart from another, and forgets what was long ago', () => {
    const { colours, nodesOf, sent } = coloursOf();
    nodesOf('first');
    const [other] = colours.of('first', 'go');
    expect([other?.nodes, sent]).toEqual([nodesOf('first'), ['first', 'first']]);
    for (let index = 0; index < 200; index++) nodesOf(`text ${index}`);
    nodesOf('first');
    expect(sent.at(-1)).toBe('first');
  });
});
