import { Breather } from './breather.js';
import { IgnoreRules } from './ignore-rules.js';

describe(IgnoreRules.name, () => {
  it.each([
    ['spaces', `${' '.repeat(99_999)}x`],
    ['brackets', '['.repeat(100_000)],
  ])(
    'is done soon with a line of %s',
    async (_, text) => {
      const began = performance.now();
      const rules = await IgnoreRules.parse(text, new Breather());
      expect(await rules.ignores('x', false, new Breather())).toBeUndefined();
      expect(performance.now() - began).toBeLessThan(5_000);
    },
    300_000,
  );

  it('leaves the process to others while very many rules look at a path', async () => {
    const text = `${'*a'.repeat(49)}b\n`.repeat(300);
    const rules = await IgnoreRules.parse(text, new Breather());
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    const path = `${'a'.repeat(250)}/`.repeat(4);
    expect(await rules.ignores(path, false, new Breather())).toBeUndefined();
    clearInterval(others);
    expect(turns).toBeGreaterThan(5);
  }, 60_000);

  it('lets the last rule that is about a path decide', async () => {
    const rules = await IgnoreRules.parse('*.log\n!keep.log\nout/   ', new Breather());
    const ask = (path: string, isFolder: boolean) => rules.ignores(path, isFolder, new Breather());
    expect(await ask('a/b.log', false)).toBe(true);
    expect(await ask('keep.log', false)).toBe(false);
    expect(await ask('out', false)).toBeUndefined();
    expect(await ask('out', true)).toBe(true);
  });
});
