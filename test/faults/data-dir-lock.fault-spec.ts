import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirLock } from '../../src/storage/data-dir-lock.js';
import { builtServer } from '../support/server/built-server.js';
import { runs } from '../support/thoroughness.js';

let work: string;
let holder: string;
let dataDir: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'parley-lock-test-'));
  holder = await builtServer('dist/test/faults/lock-holder.js');
});

beforeEach(async () => {
  dataDir = await mkdtemp(join(work, 'd'));
});

afterEach(async () => {
  const ends = [...children].map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(ends);
});

afterAll(() => rm(work, { recursive: true, force: true }));

describe(DataDirLock.name, () => {
  it('refuses a second process, and says which one is in the way', async () => {
    const first = await start();
    expect(first.said).toBe('held');
    const second = await start();
    expect(second.said).toMatch(/^data_dir_locked: /);
    expect(second.said).toContain(dataDir);
    expect(second.said).toContain(`process ${first.child.pid}.`);
  });

  it('refuses a second holder in the same process', async () => {
    const lock = await DataDirLock.acquire(dataDir);
    await expect(DataDirLock.acquire(dataDir)).rejects.toMatchObject({ code: 'data_dir_locked' });
    await lock.release();
    await (await DataDirLock.acquire(dataDir)).release();
  });

  it('leaves nothing behind when it is released', async () => {
    const { child } = await start();
    child.send('release');
    await once(child, 'exit');
    expect(await readdir(dataDir)).toEqual([]);
    expect((await start()).said).toBe('held');
  });

  it('is free again after its process was killed, any number of times', async () => {
    for (let round = 0; round < 4; round++) {
      const { child, said } = await start();
      expect(said).toBe('held');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect((await start()).said).toBe('held');
    expect((await readdir(dataDir)).filter((name) => name.startsWith('lock.'))).toHaveLength(1);
  });

  it('takes a lock for dead that was copied with its directory', async () => {
    await start();
    const copy = join(work, 'copy');
    await mkdir(copy);
    for (const name of await readdir(dataDir)) await writeFile(join(copy, name), '');
    const lock = await DataDirLock.acquire(copy);
    await lock.release();
  });

  it.each([
    ['a directory that nobody has used', false],
    ['a lock whose process was killed', true],
  ])('is given to exactly one of many that start at once on %s', async (_, stale) => {
    for (let round = 0; round < runs(3); round++) {
      if (stale) await killHolder();
      const starts = await Promise.all(Array.from({ length: 12 }, () => start()));
      const said = starts.map((each) => each.said);
      expect(said.filter((each) => each === 'held')).toHaveLength(1);
      expect(said.filter((each) => each.startsWith('data_dir_locked'))).toHaveLength(11);
      const ends = starts.map(async ({ child }) => child.exitCode ?? (await once(child, 'exit')));
      for (const { child } of starts) child.kill('SIGKILL');
      await Promise.all(ends);
    }
  });

  it('holds in a directory whose path is too long for a socket', async () => {
    dataDir = join(dataDir, 'long'.repeat(40));
    const { child, said } = await start();
    expect(said).toBe('held');
    expect((await start()).said).toMatch(/^data_dir_locked/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const last = await start();
    expect(last.said).toBe('held');
    last.child.send('release');
    await once(last.child, 'exit');
  });
});

async function killHolder(): Promise<void> {
  const { child } = await start();
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function start(): Promise<{ child: ChildProcess; said: string }> {
  const child = fork(holder, [dataDir], { execArgv: [], env: { PATH: process.env['PATH'] } });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const [said] = (await once(child, 'message')) as [string];
  return { child, said };
}
