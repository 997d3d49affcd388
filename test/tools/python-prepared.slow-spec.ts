import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Interpreter } from '../../src/tools/python/interpreter.js';
import { Interpreters } from '../../src/tools/python/interpreters.js';
import { prepare } from '../../src/tools/python/prepared.js';
import type { Prepared } from '../../src/tools/python/prepared.js';
import { SnapshotFile } from '../../src/tools/python/prepared.js';
import { PYTHON_FOLDER } from '../support/tools/python-folder.js';

const NAME = 'python-snapshot';

describe('What interpreters start from', () => {
  let folder: string;
  let folders = 0;

  beforeAll(async () => {
    Logger.overrideLogger(false); // one of the tests is warned
    folder = await mkdtemp(join(tmpdir(), 'python-prepared-'));
    await prepare(PYTHON_FOLDER);
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** Another process's folder, with a snapshot as this one's. */
  async function anotherFolder(): Promise<string> {
    const another = join(folder, String(folders++));
    await mkdir(another);
    await copyFile(join(PYTHON_FOLDER, NAME), join(another, NAME));
    return another;
  }

  async function run({ files, snapshot }: Prepared): Promise<string | null | undefined> {
    const interpreter = new Interpreter({ files, snapshot, memory_mb: 128 });
    await interpreter.ready;
    const program = { code: '6 * 7', seed: [1, 2, 3, 4], now: 0 };
    const end = await interpreter.run(program, { onOutput() {}, onRequest: async () => '{}' });
    await interpreter.stop();
    return end.kind === 'ended' ? end.value : end.kind;
  }

  it('is kept for the next process, which takes it as it is', async () => {
    const another = await anotherFolder();
    const before = await stat(join(another, NAME));
    expect(before.mode & 0o777).toBe(0o600);
    expect(await run(await prepare(another))).toBe('42');
    const after = await stat(join(another, NAME));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    expect(await readdir(another)).toEqual([NAME]);
  });

  it('is made anew where it is damaged, in the place of the other', async () => {
    const another = await anotherFolder();
    const path = join(another, NAME);
    const whole = await readFile(path);
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 1_000_000]! ^= 1;
    await writeFile(path, damaged);
    expect(await run(await prepare(another))).toBe('42');
    expect((await readFile(path)).equals(damaged)).toBe(false);
    expect((await readFile(path)).length).toBe(whole.length);
    expect(await readdir(another)).toEqual([NAME]);
  });

  it('is made even where it cannot be kept', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await run(await prepare(file))).toBe('42');
  });

  describe(SnapshotFile.name, () => {
    const read = async (path: string, key: string) => {
      const found = await new SnapshotFile(path, key).read();
      return found && Buffer.from(found).toString();
    };

    it.each<[string, (content: Buffer) => Buffer]>([
      ['a bit is wrong', (content) => (content.writeUInt8(content.at(-1)! ^ 1, 70), content)],
      ['its end is missing', (content) => content.subarray(0, -1)],
      ['there is more than there was', (content) => Buffer.concat([content, Buffer.from('x')])],
      ['only its beginning is there', (content) => content.subarray(0, 40)],
      ['there is nothing in it', () => Buffer.alloc(0)],
    ])('answers nothing when %s', async (_, damage) => {
      const path = join(folder, 'damaged');
      await new SnapshotFile(path, 'key').write(Buffer.from('a snapshot'));
      expect(await read(path, 'key')).toBe('a snapshot');
      await writeFile(path, damage(await readFile(path)));
      expect(await read(path, 'key')).toBeUndefined();
    });

    it('answers nothing but what the build has made', async () => {
      const path = join(folder, 'forged');
      await new SnapshotFile(path, 'key').write(Buffer.from('a snapshot'));
      const trusted = (await readFile(path)).subarray(0, 32);
      const readTrusted = () => new SnapshotFile(path, 'key', trusted).read();
      expect(Buffer.from((await readTrusted())!).toString()).toBe('a snapshot');
      await new SnapshotFile(path, 'key').write(Buffer.from('a forgery'));
      expect(await read(path, 'key')).toBe('a forgery');
      expect(await readTrusted()).toBeUndefined();
    });

    it('keeps one, that of the last key', async () => {
      const path = join(folder, 'keys', 'snapshot');
      await new SnapshotFile(path, 'old').write(Buffer.from('a'));
      await new SnapshotFile(path, 'new').write(Buffer.from('b'));
      expect([await read(path, 'old'), await read(path, 'new')]).toEqual([undefined, 'b']);
      expect(await readdir(join(folder, 'keys'))).toEqual(['snapshot']);
    });
  });

  it('bounds the memory of all at once, and of one chat, also of those that are still to start', async () => {
    const limits = { pythonMemoryMb: 64, pythonTotalMb: 255 };
    const interpreters = new Interpreters({ ...limits, dataDir: PYTHON_FOLDER });
    const [one, other, more, elsewhere, full] = await Promise.allSettled(
      ['a', 'a', 'a', 'b', 'c'].map((chat) => interpreters.take(chat)),
    );
    const taken = [one, other, elsewhere].map((each) => each!.status);
    expect(taken).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    const refusal = { status: 'rejected', reason: { code: 'too_many_programs' } };
    expect([more, full]).toMatchObject([refusal, refusal]);
    const said = [more, full].map((each) => each?.status === 'rejected' && String(each.reason));
    expect(said.join()).toMatch(/2 Python programs of this chat run.*3 Python programs run/);
    if (one?.status === 'fulfilled') await interpreters.discard(one.value, 'a');
    expect((await interpreters.take('a')).isAlive).toBe(true);
    await expect(interpreters.take('b')).rejects.toMatchObject({ code: 'too_many_programs' });
    await interpreters.onModuleDestroy();
  });
});
