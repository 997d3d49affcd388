import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { LocalFileStore } from '../../src/files/local/local-file-store.js';
import { SmallDisk } from '../support/store/small-disk.js';

const KEY = 'acme/file_0199c0de-0000-7000-8000-000000000000';
const fault = await SmallDisk.findFault();

describe(LocalFileStore.name, () => {
  let root: string;
  let store: LocalFileStore;
  beforeEach(async () => {
    root = join(await mkdtemp(join(tmpdir(), 'parley-files-')), 'files');
    store = new LocalFileStore(root);
  });
  afterEach(() => rm(join(root, '..'), { recursive: true, force: true }));

  const put = (key = KEY, content = 'x') => store.put(key, Readable.from([Buffer.from(content)]));
  const modeOf = async (...path: string[]) => (await stat(join(root, ...path))).mode & 0o777;

  it('lets only its user read files and folders', async () => {
    await put();
    const modes = [await modeOf(), await modeOf('acme'), await modeOf(KEY)];
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it.each(['../x', 'acme/../x', 'acme', 'acme/a/b', '.incoming/x', 'acme/.x', 'acme/x\0'])(
    'takes no key %j',
    async (key) => {
      const invalid = expect.objectContaining({ code: 'invalid_key' });
      await expect(put(key)).rejects.toEqual(invalid);
      await expect(store.get(key)).rejects.toEqual(invalid);
      await expect(store.delete(key)).rejects.toEqual(invalid);
    },
  );

  it('removes what an upload left that was killed, once it is old', async () => {
    await put();
    await writeFile(join(root, '.incoming', 'left'), 'half');
    await store.removeUnfinished(new Date(Date.now() - 60_000));
    expect(await readdir(join(root, '.incoming'))).toEqual(['left']);
    await store.removeUnfinished(new Date(Date.now() + 60_000));
    expect(await readdir(join(root, '.incoming'))).toEqual([]);
  });

  it('does not list what is no file of a tenant', async () => {
    await put();
    await mkdir(join(root, 'empty'));
    await writeFile(join(root, 'acme', '.DS_Store'), '');
    const keys = [];
    for await (const { key } of store.list()) keys.push(key);
    expect(keys).toEqual([KEY]);
  });

  it('says that it is away while its folder can’t be used', async () => {
    await writeFile(root, 'in its place');
    const away = expect.objectContaining({ kind: 'unavailable', code: 'files_unavailable' });
    await expect(put()).rejects.toEqual(away);
    await expect(store.get(KEY)).rejects.toEqual(away);
    await expect(store.delete(KEY)).rejects.toEqual(away);
    await rm(root);
    await put();
    await chmod(root, 0o700);
  });

  (fault ? describe.skip : describe)('on a full disk', () => {
    let disk: SmallDisk;
    beforeEach(async () => {
      disk = await SmallDisk.mount(2);
    });
    afterEach(() => disk.remove());

    it('refuses a file, leaves nothing of it, and takes it when there is room', async () => {
      const on = new LocalFileStore(join(disk.path, 'files'));
      const large = () => Readable.from([Buffer.alloc(1_000_000), Buffer.alloc(4_000_000)]);
      await expect(on.put(KEY, large())).rejects.toMatchObject({
        code: 'files_unavailable',
        message: expect.stringContaining('the disk is full'),
      });
      expect(await on.exists(KEY)).toBe(false);
      expect(await readdir(join(disk.path, 'files', '.incoming'))).toEqual([]);
      await on.put(KEY, Readable.from([Buffer.alloc(1_000_000)]));
      expect(await on.exists(KEY)).toBe(true);
    });
  });
});
