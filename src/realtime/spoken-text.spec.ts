import { SpokenText } from './spoken-text.js';

function partsOf(text: string, size: number): string[] {
  const spoken = new SpokenText('1b0');
  const sentences = [];
  for (let at = 0; at < text.length; at += size)
    sentences.push(...spoken.add(text.slice(at, at + size)));
  return [...sentences, ...spoken.end()].map(({ text: said, end }) => {
    expect(said).not.toBe('');
    return text.slice(0, end);
  });
}

describe(SpokenText.name, () => {
  it.each([
    ['One. Two! Three', ['One.', 'One. Two!', 'One. Two! Three']],
    ['**One.** "Two."', ['**One.**', '**One.** "Two."']],
    ['- One\n- Two\n', ['- One', '- One\n- Two']],
    ['One. 😀 Two.', ['One. 😀', 'One. 😀 Two.']],
    ['See [this](https://example.com). Next.', undefined],
  ])('tells where the sentences of %j end, however they come', (text, ends) => {
    const whole = partsOf(text, text.length);
    for (const size of [1, 3]) expect(partsOf(text, size)).toEqual(whole);
    if (ends) expect(whole).toEqual(ends);
    else expect(whole[0]).toBe('See [this](https://example.com).');
  });
});
