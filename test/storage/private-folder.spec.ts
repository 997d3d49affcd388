import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExposure, makePrivateFolder } from '../../src/kernel/disk/private-folder.js';

describe(makePrivateFolder.name, () => {
  let folder: string;
  let umask: number;

  beforeEach(async () => {
    umask = process.umask(0);
    folder = await mkdtemp(join(tmpdir(), 'parley-data-dir-'));
  });
  afterEach(async () => {
    process.umask(umask);
    await rm(folder, { recursive: true });
  });

  it('makes it private to its owner, whatever the umask', async () => {
    const path = join(folder, 'deep/data');
    await makePrivateFolder('DATA_DIR', path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(await readdir(path)).toEqual([]);
    expect(await findExposure('DATA_DIR', path)).toBeUndefined();
  });

  it('leaves one alone that is there, and tells when others can reach it', async () => {
    const path = join(folder, 'data');
    await mkdir(path);
    await chmod(path, 0o750);
    await writeFile(join(path, 'mine'), '');
    await makePrivateFolder('DATA_DIR', path);
    expect(await readdir(path)).toEqual(['mine']);
    expect(await findExposure('DATA_DIR', path)).toMatch(/mode is 750.*chmod 700/);
  });

  it.each(['/proc', '/proc/x', '/proc/x/y', 'file', 'file/data'])(
    'refuses %s with the name of the variable',
    async (name) => {
      await writeFile(join(folder, 'file'), '');
      const path = name.startsWith('/') ? name : join(folder, name);
      await expect(makePrivateFolder('DATA_DIR', path)).rejects.toMatchObject({
        code: 'data_dir_unusable',
        message: expect.stringMatching(`^DATA_DIR ${path} can't be used`),
      });
    },
  );
});
