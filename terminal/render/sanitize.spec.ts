import { jsonLine, sanitize, StreamSanitizer, withoutControls } from './sanitize.js';

describe(sanitize.name, () => {
  it.each([
    ['\u001B[31mred\u001B[0m', 'red'],
    ['\u001B]0;title\u0007text', 'text'],
    ['\u001B]8;;https://x.example\u001B\\link\u001B]8;;\u001B\\', 'link'],
    ['\u001BPq#0\u001B\\sixel', 'sixel'],
    ['\u009B2Jclear', 'clear'],
    ['a\u0008\u0007\u0000b\u007F', 'ab'],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['a\tb', 'a    b'],
    ['a\u202Eb', 'a⟦U+202E⟧b'],
    ['a\u200Bb\u{E0041}', 'a⟦U+200B⟧b⟦U+E0041⟧'],
    ['a\u3164\u115F\uFFA0', 'a⟦U+3164⟧⟦U+115F⟧⟦U+FFA0⟧'],
    ['\uD800x', '\uFFFDx'],
    ['👩‍👩‍👧 é', '👩‍👩‍👧 é'],
    ['open \u001B[38;5', 'open '],
    ['c\u001Bc', 'c'],
  ])('makes %j safe', (text, safe) => {
    expect(sanitize(text)).toBe(safe);
  });

  it('takes a line of 5 MB, whatever is in it', () => {
    for (const piece of ['a', '\u001B[', '\u001B]', '\r', '\u009B1'])
      expect(sanitize(piece.repeat(5_000_000 / piece.length))).not.toContain('\u001B');
  });
});

describe(jsonLine.name, () => {
  it('escapes what a terminal takes for more than text, and says the same', () => {
    const value = { text: 'a\u001B]0;t\u0007\u009B2J\u202Eb\u{E0041}é\n' };
    expect(jsonLine(value)).toMatch(/^[\x20-\x7E\u00A0-\uD7FF]+$/);
    expect(JSON.parse(jsonLine(value))).toEqual(value);
  });
});

describe(StreamSanitizer.name, () => {
  it.each(['\u001B[31mred\u001B[0m a\r\nb 👍', 'x\u001B]0;title\u0007y\u202E'])(
    'gives the same for %j, wherever it is cut',
    (text) => {
      for (let cut = 0; cut <= text.length; cut++) {
        const stream = new StreamSanitizer();
        const parts = [text.slice(0, cut), text.slice(cut)].map((piece) => stream.take(piece));
        expect(parts.join('') + stream.end()).toBe(sanitize(text));
      }
    },
  );
});

describe(withoutControls.name, () => {
  it('leaves tabs and bidi controls to the program that reads', () => {
    expect(withoutControls('a\tb\u202E\u001B[1m')).toBe('a\tb\u202E');
  });
});
