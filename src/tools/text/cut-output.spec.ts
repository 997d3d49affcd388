import fc from 'fast-check';
import { cutOutput } from './cut-output.js';

describe(cutOutput.name, () => {
  it('leaves a text of exactly the limit alone', () => {
    expect(cutOutput('x'.repeat(100), 100)).toEqual({ text: 'x'.repeat(100), truncated: false });
  });

  it('keeps head and tail and says how much it cut', () => {
    const { text, truncated } = cutOutput(`begin${'-'.repeat(1_000)}end`, 100);
    expect(truncated).toBe(true);
    expect(text).toMatch(/^begin-+\n\[… 972 characters cut …\]\n-+end$/);
    expect(text.length).toBeLessThanOrEqual(100);
  });

  it('never splits a surrogate pair, keeps to the limit and counts right', () => {
    const property = (text: string, limit: number) => {
      const cut = cutOutput(text, limit);
      const note = /\n\[… (\d+) characters cut …\]\n/.exec(cut.text);
      expect(cut.text.isWellFormed()).toBe(true);
      expect(cut.text.length).toBeLessThanOrEqual(limit);
      expect(cut.truncated).toBe(text.length > limit);
      if (note) expect(cut.text.length - note[0].length + Number(note[1])).toBe(text.length);
    };
    const emoji = fc.array(fc.constantFrom('a', '😀'), { minLength: 60, maxLength: 300 });
    fc.assert(
      fc.property(
        emoji.map((all) => all.join('')),
        fc.integer({ min: 64, max: 200 }),
        property,
      ),
    );
  });
});
