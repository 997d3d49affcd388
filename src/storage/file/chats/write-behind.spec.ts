import { WriteBehind } from './write-behind.js';

describe(WriteBehind.name, () => {
  it('runs a task that was scheduled twice before it began once, as it was scheduled last', async () => {
    const behind = new WriteBehind(() => undefined);
    const seen: string[] = [];
    const push = (text: string) => async () => void seen.push(text);
    behind.schedule('first', push('first'));
    behind.schedule('second', push('old'));
    behind.schedule('second', push('new'));
    await behind.flush();
    expect(seen).toEqual(['first', 'new']);
  });

  it('reports a task that fails and goes on', async () => {
    const errors: unknown[] = [];
    const behind = new WriteBehind((error) => errors.push(error));
    const seen: string[] = [];
    behind.schedule('a', () => Promise.reject(new Error('disk full')));
    behind.schedule('b', async () => void seen.push('b'));
    await behind.flush();
    expect(errors).toEqual([new Error('disk full')]);
    expect(seen).toEqual(['b']);
  });

  it('overlooks no task, however close to the end of the last one it is scheduled', async () => {
    for (let ticks = 0; ticks < 10; ticks++) {
      const behind = new WriteBehind(() => undefined);
      let ran = false;
      behind.schedule('a', async () => undefined);
      for (let i = 0; i < ticks; i++) await Promise.resolve();
      behind.schedule('b', async () => void (ran = true));
      await behind.flush();
      expect(ran).toBe(true);
    }
  });

  it('takes tasks that are scheduled by a task', async () => {
    const behind = new WriteBehind(() => undefined);
    const seen: string[] = [];
    behind.schedule('a', async () => behind.schedule('b', async () => void seen.push('b')));
    await behind.flush();
    expect(seen).toEqual(['b']);
  });
});
