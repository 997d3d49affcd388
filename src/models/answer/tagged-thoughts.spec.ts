import { behindThoughts, TaggedThoughts } from './tagged-thoughts.js';

function separate(deltas: Iterable<string>): { thinking: string; text: string } {
  const thoughts = new TaggedThoughts();
  const parts = [...Array.from(deltas, (delta) => thoughts.push(delta)), thoughts.end()];
  const joined = (of: 'thinking' | 'text'): string => parts.map((part) => part[of]).join('');
  return { thinking: joined('thinking'), text: joined('text') };
}

describe(TaggedThoughts.name, () => {
  it.each([
    ['<think>\nHm.\n</think>\n\nIt is 42.', 'Hm.\n', 'It is 42.'],
    ['\n <think>Hm.</think>It is 42.', 'Hm.', 'It is 42.'],
    ['<thinking>1 < 2, a</think> b</thinking>So.', '1 < 2, a</think> b', 'So.'],
    ['<seed:think>Hm.</seed:think>So.', 'Hm.', 'So.'],
    ['◁think▷Hm.◁/think▷So.', 'Hm.', 'So.'],
    ['<thought>Hm.</thought>So.', 'Hm.', 'So.'],
    ['<think>\n\n</think>\n\nIt is 42.', '', 'It is 42.'],
    ['<think>a</think><think> is a tag.', 'a', '<think> is a tag.'],
    ['<think>never closed </thin', 'never closed </thin', ''],
    ['<think>only thoughts</think>\n', 'only thoughts', ''],
    ['The tag <think>x</think> stays.', '', 'The tag <think>x</think> stays.'],
    ['```\n<think>x</think>\n```', '', '```\n<think>x</think>\n```'],
    ['Hm, without the first tag.</think>So.', '', 'Hm, without the first tag.</think>So.'],
    ['<thinner> & <thi', '', '<thinner> & <thi'],
    ['  <thi', '', '  <thi'],
    ['\n\n', '', '\n\n'],
    ['', '', ''],
  ])('separates %j, cut anywhere', (whole, thinking, text) => {
    for (let cut = 0; cut <= whole.length; cut++)
      expect(separate([whole.slice(0, cut), whole.slice(cut)])).toEqual({ thinking, text });
    expect(separate(whole)).toEqual({ thinking, text });
  });

  it('holds back no more than what may be a tag', () => {
    const thoughts = new TaggedThoughts();
    expect(thoughts.push('<thi')).toEqual({ thinking: '', text: '' });
    expect(thoughts.push('nk>Let me')).toEqual({ thinking: 'Let me', text: '' });
    expect(thoughts.push(' see</')).toEqual({ thinking: ' see', text: '' });
    expect(thoughts.push('b> more')).toEqual({ thinking: '</b> more', text: '' });
    expect(thoughts.push('</think>Yes')).toEqual({ thinking: '', text: 'Yes' });
    expect(thoughts.push('<think>')).toEqual({ thinking: '', text: '<think>' });
  });

  it('hands on a text that begins otherwise at once, and endless white space', () => {
    expect(new TaggedThoughts().push('H')).toEqual({ thinking: '', text: 'H' });
    expect(new TaggedThoughts().push('<b')).toEqual({ thinking: '', text: '<b' });
    const blank = ' '.repeat(10_000);
    expect(new TaggedThoughts().push(blank)).toEqual({ thinking: '', text: blank });
  });
});

describe(behindThoughts.name, () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    ['<think>{"a":0}</think>{"a":1}', '{"a":1}'],
    ['{"a":0} or so</think>\n{"a":1}', '\n{"a":1}'],
    ['<think>{"a":0}</think><think>{"a":2}</think>{"a":1}', '{"a":1}'],
    ['<think>{"a":0}', ''],
    ['So: {"a":1}', 'So: {"a":1}'],
  ])('finds the answer in %s', (text, answer) => {
    expect(behindThoughts(text)).toBe(answer);
  });
});
