import { showUnseen } from './show-unseen.js';

describe(showUnseen.name, () => {
  it.each([
    ['rm x \u202E# harmless', 'rm x \\u{202e}# harmless'],
    ['rm x\rls', 'rm x\\u{d}ls'],
    ['a\u200Bb\u{E0061}', 'a\\u{200b}b\\u{e0061}'],
    ['\u001B[2K', '\\u{1b}[2K'],
    ['a\n\tb – ü 🦜', 'a\n\tb – ü 🦜'],
  ])('shows %j as %j', (text, shown) => {
    expect(showUnseen(text)).toBe(shown);
  });
});
