import { KeyedMutex } from './keyed-mutex.js';

const gate = () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
};

describe(KeyedMutex.name, () => {
  it('runs tasks of one key in order, one at a time', async () => {
    const mutex = new KeyedMutex();
    const { open, opened } = gate();
    const seen: string[] = [];
    const first = mutex.run('a', async () => {
      await opened;
      seen.push('first');
    });
    const second = mutex.run('a', () => seen.push('second'));
    open();
    await Promise.all([first, second]);
    expect(seen).toEqual(['first', 'second']);
  });

  it('lets keys pass each other', async () => {
    const mutex = new KeyedMutex();
    const { open, opened } = gate();
    const slow = mutex.run('a', () => opened);
    expect(await mutex.run('b', () => 'done')).toBe('done');
    open();
    await slow;
  });

  it('goes on after a task that failed, and is idle when all are done', async () => {
    const mutex = new KeyedMutex();
    const failed = mutex.run('a', () => Promise.reject(new Error('no')));
    const next = mutex.run('a', () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
    await mutex.idle();
  });
});
