import { GLYPHS, SPINNER, withAsciiSigns } from './theme.js';
import { widthOf } from './width.js';

describe(withAsciiSigns.name, () => {
  it.each([...Object.values(GLYPHS), ...SPINNER])('has a sign as wide as %s', (sign) => {
    expect(widthOf(sign)).toBe(1);
    expect(withAsciiSigns(sign)).toMatch(/^[!-~]$/);
  });

  it('leaves what others have written', () => {
    expect(withAsciiSigns('é 日本 ⟦U+202E⟧')).toBe('é 日本 [U+202E]');
  });
});
