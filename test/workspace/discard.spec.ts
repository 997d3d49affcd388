import { existsSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import type { Environment } from '../../src/config/load-config.js';
import { Folder } from '../../src/workspace/folder.js';
import { removeTree } from '../../src/workspace/remove-tree.js';
import { Workspaces } from '../../src/workspace/workspaces.js';
import { openMemoryStores } from '../../src/storage/memory/memory-stores.js';

describe('The folder of a chat that is deleted', () => {
  let base: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'parley-discard-')));
    await mkdir(join(base, 'outside'));
    await writeFile(join(base, 'outside/kept'), 'kept');
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  const at = (path: string) => join(base, 'work', path);
  const workspaces = (env: Environment = {}) =>
    new Workspaces(
      loadConfig({ DATA_DIR: join(base, 'data'), WORKSPACE_DIR: at(''), ...env }),
      openMemoryStores().chats,
    );
  const make = (chat: string, env: Environment = {}) =>
    workspaces(env).use(chat, ({ path }) => writeFile(join(path, 'file'), 'text'));
  const kept = () => readFile(join(base, 'outside/kept'), 'utf8');

  it('goes with all that is in it, and no other does', async () => {
    await make('one');
    await make('two');
    await mkdir(at('one/a/b'), { recursive: true });
    await writeFile(at('one/a/b/.c'), '');
    await workspaces().discard('one', 'none');
    expect(await readdir(at(''))).toEqual(['.parley', 'two']);
    expect(await readdir(at('.parley/going'))).toEqual([]);
    expect(await readFile(at('two/file'), 'utf8')).toBe('text');
  });

  it('is made anew for the next chat of that name', async () => {
    await make('one');
    await workspaces().discard('one', 'none');
    await make('one');
    await workspaces().discard('one', 'none');
    expect(existsSync(at('one'))).toBe(false);
  });

  it('is not inherited by a chat that is created again, though the server died before it went', async () => {
    const { chats } = openMemoryStores();
    const row = { id: 'one', title: null, agent: null, metadata: {} };
    const create = () => chats.createChat({ ...row, created_at: new Date().toISOString() });
    const config = loadConfig({ DATA_DIR: join(base, 'data'), WORKSPACE_DIR: at('') });
    const under = new Workspaces(config, chats);
    const list = () => under.use('one', ({ path }) => readdir(path));
    await create();
    const uid = (await chats.findUid('one'))!;
    await under.use('one', ({ path }) => writeFile(join(path, 'file'), 'text'));
    expect(await list()).toEqual(['file']);
    await chats.deleteChat('one');
    await create();
    expect(await list()).toEqual([]);
    await under.use('one', ({ path }) => writeFile(join(path, 'new'), 'text'));
    await under.discard('one', uid);
    expect(await list()).toEqual(['new']);
    expect(await readdir(at('.parley/going'))).toEqual([]);
  });

  it('stays if it was not made for the chat', async () => {
    await mkdir(at('one'), { recursive: true });
    await make('one');
    await workspaces().discard('one', 'none');
    expect(await readdir(at('one'))).toEqual(['file']);
  });

  it('stays if all chats share it, or other chats can name it', async () => {
    await make('one');
    await workspaces({ WORKSPACE_MODE: 'shared' }).discard('one', 'none');
    for (const root of [base, at(''), at('one')])
      await workspaces({ WORKSPACE_ROOTS: root }).discard('one', 'none');
    expect(await readdir(at('one'))).toEqual(['file']);
  });

  it('is nothing to wonder about when it was never made', async () => {
    await workspaces().discard('one', 'none');
    expect(existsSync(at(''))).toBe(false);
    await make('two');
    await workspaces().discard('one', 'none');
    expect(await readdir(at('two'))).toEqual(['file']);
  });

  it('takes nothing along that links lead to', async () => {
    await make('one');
    await symlink(join(base, 'outside'), at('one/out'));
    await symlink('../../outside/kept', at('one/kept'));
    await make('two');
    await rm(at('two'), { recursive: true });
    await symlink(join(base, 'outside'), at('two'));
    for (const chat of ['one', 'two']) await workspaces().discard(chat, 'none');
    expect(await readdir(at(''))).toEqual(['.parley']);
    expect(await readdir(at('.parley/going'))).toEqual([]);
    expect(await kept()).toBe('kept');
  });

  it('goes however deep it is, and with folders that may not be written', async () => {
    await make('one');
    const deep = at(`one/${'d/'.repeat(300)}`);
    await mkdir(deep, { recursive: true });
    await writeFile(join(deep, 'file'), '');
    await chmod(deep, 0o555);
    await workspaces().discard('one', 'none');
    expect(await readdir(at('.parley/going'))).toEqual([]);
  });

  it('goes with the next one if it could not go at once', async () => {
    await make('one');
    await mkdir(at('.parley/going/left/a'), { recursive: true });
    await writeFile(at('.parley/going/left/a/file'), '');
    await workspaces().discard('one', 'none');
    expect(await readdir(at('.parley/going'))).toEqual([]);
  });

  it('does not throw when something else is in the way', async () => {
    await make('one');
    await rename(at('.parley'), at('.away'));
    await symlink(join(base, 'outside'), at('.parley'));
    await workspaces().discard('one', 'none');
    expect(await readdir(join(base, 'outside'))).toEqual(['kept']);
    expect(await kept()).toBe('kept');
  });
});

describe(removeTree.name, () => {
  it.each([true, false])('is not led out by a swap (by descriptor: %s)', async (byDescriptor) => {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'parley-remove-')));
    await mkdir(join(base, 'outside'));
    await writeFile(join(base, 'outside/kept'), '');
    await mkdir(join(base, 'top/a'), { recursive: true });
    const top = await Folder.openRoot(join(base, 'top'), byDescriptor);
    const list = top.list.bind(top);
    top.list = async (limit) => {
      const entries = await list(limit);
      if (entries.some((entry) => entry.name === 'a' && entry.isDirectory())) {
        await rename(join(base, 'top/a'), join(base, 'a'));
        await symlink('../outside', join(base, 'top/a'));
      }
      return entries;
    };
    await removeTree(top, Infinity).catch(() => {});
    await top.close();
    expect(await readdir(join(base, 'outside'))).toEqual(['kept']);
    await rm(base, { recursive: true });
  });

  it('gives up when it is too late', async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'parley-remove-')));
    await writeFile(join(base, 'file'), '');
    const top = await Folder.openRoot(base);
    await expect(removeTree(top, -1)).rejects.toThrow('too long');
    await top.close();
    expect(await readdir(base)).toEqual(['file']);
    await rm(base, { recursive: true });
  });
});
