import { visible } from './visible';

describe('visible', () => {
  it.each([
    ...[0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x180b, 0x180e, 0x200b, 0x200e, 0x200f, 0x202a],
    ...[0x202e, 0x2060, 0x2065, 0x2066, 0x2069, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffb],
    ...[0xe0000, 0xe0041, 0xe007f, 0xe0100, 0xe01ef],
  ])('names what is not seen (%i)', (code) => {
    const name = code.toString(16).toUpperCase().padStart(4, '0');
    expect(visible(`a${String.fromCodePoint(code)}b`)).toBe(`a⟦U+${name}⟧b`);
  });

  it('leaves out control characters but for tabs and line ends', () => {
    expect(visible('a\u0000\u001b[31m\tb\r\n\u007f\u009b')).toBe('a[31m\tb\r\n');
  });

  it.each(['', 'Grüße, 世界', '👩‍👩‍👧 ❤️ 1️⃣ 🇩🇪', 'می‌خواهم', '\ud800 𠀀', 'ㄱ ᄀ ｱ'])(
    'leaves text as it is: %j',
    (text) => {
      expect(visible(text)).toBe(text);
    },
  );
});
