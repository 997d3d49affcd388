import { showOnOneLine, showUnseen } from './show-unseen.js';

describe(showUnseen.name, () => {
  it.each([
    ['rm x \u202E# harmless', 'rm x \\u{202e}# harmless'],
    ['rm x\rls', 'rm x\\u{d}ls'],
    ['a\u200Bb\u{E0061}', 'a\\u{200b}b\\u{e0061}'],
    ['\u001B[2K', '\\u{1b}[2K'],
    ['a\n\tb – ü 🦜', 'a\n\tb – ü 🦜'],
    ['git\u00A0log\u2007\u202F\u3000x', 'git\\u{a0}log\\u{2007}\\u{202f}\\u{3000}x'],
    ['a\u2800\u3164\u115Fb\u2028\u0085', 'a\\u{2800}\\u{3164}\\u{115f}b\\u{2028}\\u{85}'],
    ['\uE000\uD800x\u{10FFFE}', '\\u{e000}\\u{d800}x\\u{10fffe}'],
    ['⚠\uFE0F 1\uFE0F\u20E3 👩\u200D💻 👍🏽', '⚠\uFE0F 1\uFE0F\u20E3 👩\u200D💻 👍🏽'],
    ['rm\uFE0F a\u200Db', 'rm\\u{fe0f} a\\u{200d}b'],
  ])('shows %j as %j', (text, shown) => {
    expect(showUnseen(text)).toBe(shown);
  });
});

describe(showOnOneLine.name, () => {
  it('escapes line feeds and tabs, too', () => {
    expect(showOnOneLine('a\n\tb\u202E')).toBe('a\\u{a}\\u{9}b\\u{202e}');
  });
});
