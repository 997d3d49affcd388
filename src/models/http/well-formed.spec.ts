import { wellFormed } from './well-formed.js';

describe(wellFormed.name, () => {
  it('replaces halves of characters at every depth, in names, too', () => {
    expect(wellFormed({ 'a\ud83d': [{ b: 'x\udc4b' }], c: 1 })).toEqual({
      'a\ufffd': [{ b: 'x\ufffd' }],
      c: 1,
    });
  });

  it('does not copy what has none', () => {
    const value = { a: [{ b: '👋' }], c: null };
    expect(wellFormed(value)).toBe(value);
  });

  it('takes JSON of any depth', () => {
    const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as unknown;
    expect(wellFormed(deep)).toBe(deep);
  });
});
