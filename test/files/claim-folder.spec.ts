import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { claimFolder } from '../../src/files/local/claim-folder.js';
import { LocalFileStore } from '../../src/files/local/local-file-store.js';
import { MemoryFileCatalog } from '../../src/storage/memory/memory-file-catalog.js';
import { StoreIndex } from '../../src/storage/memory/core/store-index.js';
import { SmallDisk } from '../support/store/small-disk.js';

const KEY = 'acme/file_0199c0de-0000-7000-8000-000000000000';
const run = promisify(execFile);
const fault = await SmallDisk.findFault();

describe(claimFolder.name, () => {
  let parent: string;
  let catalog: MemoryFileCatalog;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'parley-folders-'));
    catalog = newCatalog();
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  const at = (name: string) => join(parent, name);
  const claim = (name: string, of = catalog) => claimFolder(at(name), of);
  const put = async (name: string) => {
    await mkdir(join(at(name), 'acme'), { recursive: true });
    await writeFile(join(at(name), KEY), 'x');
  };
  const refusal = async (name: string, of = catalog): Promise<string> => {
    const error = await claim(name, of).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'files_dir_foreign' });
    return (error as Error).message;
  };

  it('gives a new store a new folder, which all its processes find again', async () => {
    const names = Array.from({ length: 10 }, () => 'files');
    const ids = await Promise.all(names.map((name) => claim(name)));
    expect(new Set(ids)).toEqual(new Set([await catalog.findFolder()]));
    await put('files');
    expect(await claim('files')).toBe(ids[0]);
  });

  it('takes over a folder of files from before there were markers', async () => {
    await put('files');
    expect(await claim('files')).toBe(await catalog.findFolder());
  });

  it('takes a folder that it had marked when the process was killed', async () => {
    await claim('files', newCatalog());
    expect(await claim('files')).toBe(await catalog.findFolder());
  });

  it('refuses another folder than the one that has the files, and says how to go on', async () => {
    const id = await claim('files');
    for (const name of ['empty', 'other']) {
      if (name === 'other') await put(name);
      expect(await refusal(name)).toContain('Set FILES_DIR to that folder, the same for all');
    }
    const message = await refusal('empty');
    await run('sh', ['-c', message.split(', run: ')[1]!]);
    expect(await claim('empty')).toBe(id);
  });

  it('lets one of two processes that start at once with folders of their own', async () => {
    const names = ['one', 'two'];
    const claims = await Promise.allSettled(names.map((name) => claim(name)));
    const [loser] = names.filter((_, n) => claims[n]!.status === 'rejected');
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusal(loser!)).toContain('.folder-id is missing');
  });

  it('refuses the folder of another store, whose files it would sweep', async () => {
    await claim('files');
    await put('files');
    const fresh = newCatalog();
    expect(await refusal('files', fresh)).toContain('has the files of another server');
    await claim('mine', fresh);
    expect(await refusal('files', fresh)).toMatch(/names folder_\S+, and not folder_/);
  });

  it.each(['file', 'file/files', '/proc/files'])('refuses %s with the variable', async (name) => {
    await writeFile(at('file'), '');
    const path = name.startsWith('/') ? name : at(name);
    await expect(claimFolder(path, catalog)).rejects.toMatchObject({
      code: 'files_dir_unusable',
      message: expect.stringMatching(`^FILES_DIR ${path} can't be used: .+`),
    });
  });

  it('writes nothing while the folder is gone or another one is in its place', async () => {
    const store = new LocalFileStore(at('files'), await claim('files'));
    const write = () => store.put(KEY, Readable.from([Buffer.from('kept')]));
    await write();
    await rename(at('files'), at('away'));
    const gone = { code: 'files_unavailable', message: expect.stringContaining('folder is gone') };
    await expect(write()).rejects.toMatchObject(gone);
    await mkdir(at('files')); // where it was mounted
    await expect(write()).rejects.toMatchObject(gone);
    await rm(at('files'), { recursive: true });
    await rename(at('away'), at('files'));
    await write();
    expect((await buffer(await store.get(KEY))).toString()).toBe('kept');
  });

  (fault ? describe.skip : describe)('on another disk', () => {
    let disk: SmallDisk;
    beforeEach(async () => {
      disk = await SmallDisk.mount(2);
    });
    afterEach(async () => {
      await disk.remove();
    });

    it('works as on this one, and says so if a tenant is on a third', async () => {
      const path = join(disk.path, 'files');
      const store = new LocalFileStore(path, await claimFolder(path, catalog));
      await store.put(KEY, Readable.from([Buffer.from('x')]));
      expect((await buffer(await store.get(KEY))).toString()).toBe('x');
      await mkdir(at('evil'));
      await symlink(at('evil'), join(path, 'evil'));
      const across = store.put(KEY.replace('acme', 'evil'), Readable.from([Buffer.from('x')]));
      await expect(across).rejects.toMatchObject({
        code: 'files_unavailable',
        message: expect.stringContaining('EXDEV'),
      });
    });

    it('refuses one that is read-only', async () => {
      const path = join(disk.path, 'files');
      await claimFolder(path, catalog);
      await run('mount', ['-o', 'remount,ro', disk.path]);
      await expect(claimFolder(path, catalog)).rejects.toMatchObject({
        code: 'files_dir_unusable',
        message: expect.stringContaining('EROFS'),
      });
    });
  });
});

function newCatalog(): MemoryFileCatalog {
  return new MemoryFileCatalog({ chats: new StoreIndex() });
}
