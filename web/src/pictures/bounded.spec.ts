import { describe, expect, it } from '@jest/globals';
import { boundedBy } from './bounded';

describe(boundedBy.name, () => {
  /** Work that ends when it is told to; `begun` has the names of what has begun. */
  const setUp = () => {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const bounded = boundedBy(2);
    const run = (name: string, signal = new AbortController().signal): Promise<string> =>
      bounded(signal, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
    return { begun, run, end: (name: string) => ends.get(name)!() };
  };

  it('runs two at a time, in order', async () => {
    const { begun, run, end } = setUp();
    const all = ['a', 'b', 'c', 'd'].map((name) => run(name));
    expect(begun).toEqual(['a', 'b']);
    end('b');
    expect(await all[1]).toBe('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    end('a');
    await all[0];
    end('c');
    end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('does not begin what was given up, and goes on with the next', async () => {
    const { begun, run, end } = setUp();
    const stop = new AbortController();
    const first = [run('a'), run('b')];
    const given = run('c', stop.signal);
    const next = run('d');
    stop.abort();
    end('a');
    await expect(given).rejects.toThrow('aborted');
    end('b');
    await Promise.all(first);
    expect(begun).toEqual(['a', 'b', 'd']);
    end('d');
    expect(await next).toBe('d');
  });
});
