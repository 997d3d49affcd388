import { setImmediate as nextTick } from 'node:timers/promises';
import { AsyncValue } from './async-value.js';

describe(AsyncValue.name, () => {
  const name = new AsyncValue<string>();
  const depth = new AsyncValue<number>();
  const seen = async (): Promise<unknown[]> => {
    await nextTick();
    return [name.get(), depth.get()];
  };

  it('is undefined outside', async () => {
    expect(await seen()).toEqual([undefined, undefined]);
  });

  it('is seen by all asynchronous work that follows, beside other values', async () => {
    const inner = name.run('a', () => depth.run(1, seen));
    expect(await inner).toEqual(['a', 1]);
    expect(await name.run('a', async () => [await depth.run(1, seen), await seen()])).toEqual([
      ['a', 1],
      ['a', undefined],
    ]);
  });

  it('keeps apart work that runs at the same time', async () => {
    const both = await Promise.all([name.run('a', seen), name.run('b', seen)]);
    expect(both).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  it('can be hidden from work', async () => {
    const hidden = name.run('a', () => depth.run(1, () => name.run(undefined, seen)));
    expect(await hidden).toEqual([undefined, 1]);
  });
});
