import { MAX_SENTENCE, SentenceSplitter } from './sentence-splitter.js';

const ANSWER = `# The *weather*

Dr. Smith says it is 3.5 °C, e.g. in the U.S. capital. **Really.** "Is it?" Yes! Use \`npm ci\`. See
[the docs. Part two](https://example.com/a(b)?c=d. "T") or https://www.example.org/x/y?z=1. Done…

- first item
- [x] second **item**. It has two sentences.
  It goes on
1. third: \`a[0](1)\`

> quoted text

| City | Degrees |
|------|--------:|
| Bonn | 3 |

\`\`\`ts
const spoken = false;
\`\`\`
~~~
\`\`\`
~~~
Heute, am 3. Oktober, z. B. in Bonn. 今日は晴れです。明日は雨です。😀 2 * 3 = 6, snake_case &amp; more<br>end 𝐀`;

const SPOKEN = [
  'The weather',
  'Dr. Smith says it is 3.5 °C, e.g. in the U.S. capital.',
  'Really.',
  '"Is it?"',
  'Yes!',
  'Use npm ci.',
  'See the docs.',
  'Part two or example.org.',
  'Done…',
  'first item',
  'second item.',
  'It has two sentences.',
  'It goes on',
  'third: a(1)',
  'quoted text',
  'City, Degrees',
  'Bonn, 3',
  'Heute, am 3. Oktober, z. B. in Bonn.',
  '今日は晴れです。',
  '明日は雨です。',
  '😀 2 * 3 = 6, snake_case & more end 𝐀',
];

describe(SentenceSplitter.name, () => {
  it('gives sentences to speak of Markdown', () => {
    expect(split([ANSWER])).toEqual(SPOKEN);
  });

  it('gives the same for every cut of the text', () => {
    expect(split(ANSWER.split(''))).toEqual(SPOKEN);
    for (let at = 1; at < ANSWER.length; at++)
      expect(split([ANSWER.slice(0, at), ANSWER.slice(at)])).toEqual(SPOKEN);
  });

  it('gives a sentence as soon as the next begins', () => {
    const splitter = new SentenceSplitter();
    expect(splitter.add('It is sunny.')).toEqual([]);
    expect(splitter.add(' A')).toEqual(['It is sunny.']);
    expect(splitter.add('nd warm\n\n')).toEqual(['And warm']);
    expect(splitter.add('- item\n- ')).toEqual(['item']);
    expect(splitter.end()).toEqual([]);
  });

  it.each([
    ['Mr. Fox met J. R. Smith. They spoke.', ['Mr. Fox met J. R. Smith.', 'They spoke.']],
    ['Version 1.2.3 of Node.js is out. Get it.', ['Version 1.2.3 of Node.js is out.', 'Get it.']],
    ['Wait... what? (Yes.) No.', ['Wait... what?', '(Yes.)', 'No.']],
    ['It ended.[1] *Then* it rained.[^b]', ['It ended. Then it rained.']],
    ['```js\nopen', []],
    ['````\n```\nnot spoken\n````\nspoken', ['spoken']],
    ['```code``` in a line', ['code in a line']],
    ['Title\n===\ntext\n\n---\n***\n', ['Title', 'text']],
    ['a<b and b > c', ['a<b and b > c']],
    ['\\*not bold\\*', ['not bold']],
    ['![a cat](data:image/png;base64,AAAA)', ['a cat']],
    ['[open](https://example.com', ['open']],
    ['', []],
    ['...', []],
  ])('splits %j', (text, sentences) => {
    expect(split([text])).toEqual(sentences);
    expect(split(text.split(''))).toEqual(sentences);
  });

  it('cuts long sentences after commas, else at spaces, else anywhere', () => {
    const clauses = split(['some words and more, '.repeat(60)]);
    expect(clauses.slice(0, -1).every((clause) => clause.endsWith(','))).toBe(true);
    for (const text of [
      'word '.repeat(2000),
      '晴'.repeat(9000),
      '😀'.repeat(900) + 'a',
      '1, '.repeat(999),
    ]) {
      const sentences = split([text]);
      expect(Math.max(...sentences.map((each) => Array.from(each).length))).toBeLessThanOrEqual(
        MAX_SENTENCE,
      );
      expect(split(text.split(''))).toEqual(sentences);
    }
  });

  it('leaves the rest of a word of thousands of characters out', () => {
    const sentences = split([`Key: ${'QUJD'.repeat(50_000)} end.`]);
    expect(sentences.join(' ').length).toBeLessThan(300);
    expect(sentences.at(-1)).toMatch(/end\.$/);
  });

  it.each([
    'a. ',
    '[',
    '](',
    '`',
    '*',
    '.',
    '. "',
    '<a ',
    '|',
    '#',
    '&amp',
    ' ',
    '\n',
    'Dr. ',
    '「',
  ])('takes a time that grows with the length of %j', (unit) => {
    const [small, large] = [50_000, 400_000].map((length) => {
      const text = unit.repeat(length / unit.length);
      const start = process.cpuUsage();
      split(text.split(''));
      const { user, system } = process.cpuUsage(start);
      return user + system;
    });
    // A quadratic splitter would take 64 times as long.
    expect(large! / Math.max(small!, 2000)).toBeLessThan(32);
  });
});

function split(deltas: readonly string[]): string[] {
  const splitter = new SentenceSplitter();
  const sentences = deltas.flatMap((delta) => splitter.add(delta));
  return [...sentences, ...splitter.end()];
}
