import { expectLinear } from '../../../test/support/growth.js';
import { Breather } from '../../kernel/async/breather.js';
import { IgnoreRules } from './ignore-rules.js';

describe(IgnoreRules.name, () => {
  it.each([
    ['spaces', ' ', 'x'],
    ['brackets', '[', ''],
  ])('takes linear time for a line of %s', async (_, unit, end) => {
    await expectLinear((size) => {
      const text = unit.repeat(size) + end;
      return async () => {
        const rules = await IgnoreRules.parse(text, new Breather());
        expect(await rules.ignores('x', false, new Breather())).toBeUndefined();
      };
    }, 100_000);
  });

  it('may leave the process to others between any two of very many rules', async () => {
    const text = `${'*a'.repeat(49)}b\n`.repeat(299);
    const breather = new CountingBreather();
    const rules = await IgnoreRules.parse(text, breather);
    expect(breather.breaths).toBe(300);
    const path = `${'a'.repeat(250)}/`.repeat(4);
    expect(await rules.ignores(path, false, breather)).toBeUndefined();
    expect(breather.breaths).toBe(300 + 299);
  });

  it('lets the last rule that is about a path decide', async () => {
    const rules = await IgnoreRules.parse('*.log\n!keep.log\nout/   ', new Breather());
    const ask = (path: string, isFolder: boolean) => rules.ignores(path, isFolder, new Breather());
    expect(await ask('a/b.log', false)).toBe(true);
    expect(await ask('keep.log', false)).toBe(false);
    expect(await ask('out', false)).toBeUndefined();
    expect(await ask('out', true)).toBe(true);
  });
});

class CountingBreather extends Breather {
  breaths = 0;

  override breathe(): Promise<void> {
    this.breaths++;
    return super.breathe();
  }
}
