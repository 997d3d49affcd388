import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { History } from './history.js';

describe(History.name, () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'parley-history-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('goes back and forth, and keeps what was typed', async () => {
    const history = new History(join(folder, 'history'));
    await history.add('one');
    await history.add('two');
    expect(history.step(-1, 'typed')).toBe('two');
    expect(history.step(-1, 'two')).toBe('one');
    expect(history.step(-1, 'one')).toBeUndefined();
    expect(history.step(1, 'one')).toBe('two');
    expect(history.step(1, 'two')).toBe('typed');
  });

  it('is there for the next start, for the user alone, and without credentials', async () => {
    const path = join(folder, 'new/history');
    const history = new History(path);
    await history.load();
    await history.add('two\nlines');
    await history.add('my key is sk-ant-0123456789abcdef');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain('sk-ant');
    const next = new History(path);
    await next.load();
    expect(next.step(-1, '')).toBe('two\nlines');
  });
});
