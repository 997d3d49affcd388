import { withoutUnseen } from './without-unseen.js';

describe(withoutUnseen.name, () => {
  it.each([
    ['emoji', '❤\ufe0f ☺\ufe0e 1\ufe0f\u20e3.txt'],
    ['sequences of emoji', '👩\u200d💻 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥 👨\u200d👩\u200d👧'],
    ['Persian', 'نامه\u200cها/می\u200cروم.txt'],
    ['Hindi', 'क्\u200dष क्\u200cष.txt'],
    ['Bengali', 'র\u200d্যাব'],
    ['Malayalam', 'അവന്\u200d.txt'],
    ['Sinhala', 'ශ්\u200dරී'],
    ['variants of ideographs', '葛\u{e0100}城'],
    ['Mongolian', 'ᠠ\u180bᠨ'],
  ])('leaves %s as it is: %j', (_, name) => {
    expect(withoutUnseen(name)).toBe(name);
  });

  it.each([
    ['rm\ufe0f', 'rm'],
    ['1\ufe0f', '1'],
    ['❤\ufe0f\ufe0f', '❤\ufe0f'],
    ['.g\u200cit', '.git'],
    ['a\u200db', 'ab'],
    ['😀\u200d.txt', '😀.txt'],
    ['\u200cنامه\u200c', 'نامه'],
    ['ن\u200c\u200cب', 'نب'],
    ['ن\u200ca', 'نa'],
    ['نامه\u200b\u200f', 'نامه'],
    ['葛\ufe0f\u{e0061}', '葛'],
    ['a\u{e0100}', 'a'],
    ['in\u202evoice\u2067.\u00adexe\ufeff', 'invoice.exe'],
    ['a\u034f\u3164\u115f\ufff9b\u0085\u2028\ud800', 'ab'],
  ])('takes what is not needed out of %j', (name, rest) => {
    expect(withoutUnseen(name)).toBe(rest);
    expect(withoutUnseen(rest)).toBe(rest);
  });
});
