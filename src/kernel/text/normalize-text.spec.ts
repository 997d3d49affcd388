import { normalizeText } from './normalize-text.js';

/** Two combining marks in the order that a normalization turns round. */
const MARKS = '\u0301\u0316';

describe(normalizeText.name, () => {
  it('composes', () => {
    expect(normalizeText('u\u0308ber', 'NFC')).toBe('über');
    expect(normalizeText('ｒｍ', 'NFKC')).toBe('rm');
  });

  it('leaves a run of 30 marks as it is, but for their order', () => {
    const run = MARKS.repeat(15);
    expect(normalizeText(`x${run}`, 'NFC')).toBe(`x${run}`.normalize('NFC'));
  });

  it.each([
    ['marks', MARKS],
    ['marks beyond the 16 bits of a code unit', '\u{1d165}\u{1d16d}\u0316'],
    ['katakana that becomes marks', '\uff9e\u0316\u0301'],
  ])('never has a long run of %s sorted', (_, piece) => {
    const normalized = normalizeText(`a${piece.repeat(200)}`, 'NFKC');
    const runs = normalized.split('\u034f').map((run) => Array.from(run).length);
    expect(Math.max(...runs)).toBeLessThanOrEqual(32);
  });

  it('knows every character that a normalization sorts', () => {
    const unknown: string[] = [];
    for (let code = 0x80; code < 0x11_0000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      if (isSorted(character) && !normalizeText(character.repeat(31), 'NFC').includes('\u034f'))
        unknown.push(code.toString(16));
    }
    expect(unknown).toEqual([]);
  });
});

/** True if what the character decomposes to begins with a mark that has a combining class. */
function isSorted(character: string): boolean {
  const first = String.fromCodePoint(character.normalize('NFKD').codePointAt(0)!);
  return (
    first === '\u0345' || `\u0345${first}`.normalize('NFD') !== `\u0345${first.normalize('NFD')}`
  );
}
