import type { Message } from '../protocol/message.js';
import { previewOf, previewOfEnd, titleOf } from './chat-texts.js';

describe(titleOf.name, () => {
  it.each([
    ['What is 6*7?', 'What is 6*7?'],
    ['  Two\n\n lines\t', 'Two lines'],
    ['a\u0000b', 'a b'],
    ['\u0007', null],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
    ['😀'.repeat(81), `${'😀'.repeat(79)}…`],
    ['half \ud800', 'half \ufffd'],
  ])('of %j is %j', (text, title) => expect(titleOf(text)).toBe(title));

  it('does not read all of a long message', () => {
    expect(titleOf(`${' '.repeat(500_000)}${'x '.repeat(500_000)}`)).toHaveLength(80);
  });
});

describe(previewOf.name, () => {
  it('is longer than a title', () => expect(previewOf('x'.repeat(300))).toHaveLength(200));
});

describe(previewOfEnd.name, () => {
  it('is the last text of the agent', () => {
    const added = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'assistant', content: null, tool_calls: [] },
    ] as const;
    expect(previewOfEnd(added)).toBe('Hello.');
    expect(previewOfEnd(added.slice(0, 1))).toBeNull();
  });

  it('is a sealed one of sealed messages, not of a model that writes like one', () => {
    const content = `\u0001enc1:${'0'.repeat(8)}:${'A'.repeat(1_000)}`;
    const enc = '\u0001enc1:key:AAAA';
    expect(previewOfEnd([{ role: 'assistant', content }])).toMatch(/^enc1:0{8}:A+…$/);
    expect(previewOfEnd([{ role: 'assistant', content }])).toHaveLength(200);
    expect(previewOfEnd([{ role: 'assistant', content, enc } as Message])).toBe(content);
  });
});
