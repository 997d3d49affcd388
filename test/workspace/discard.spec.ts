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
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import type { Environment } from '../../src/config/load-config.js';
import { Folder } from '../../src/workspace/folder.js';
import { removeTree } from '../../src/workspace/remove-tree.js';
import { eventually } from '../support/eventually.js';
import { Workspaces } from '../../src/workspace/workspaces.js';
import type { ChatStore } from '../../src/persistence/chat.store.js';
import { chatOf } from '../support/store/chat-parts.js';
import { memoryStore } from '../support/store/whole-store.js';

/** Has every chat, by the uid that is asked for. */
const anyChat = {
  findChatByUid: async (uid: string) => chatOf({ id: uid, uid, created_at: '' }),
} as unknown as ChatStore;

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
      anyChat,
    );
  const make = (chat: string, env: Environment = {}) =>
    workspaces(env).use(chat, ({ path }) => writeFile(join(path, 'file'), 'text'));
  const note = (uid: string) => join(base, 'data/discards', uid);
  const kept = () => readFile(join(base, 'outside/kept'), 'utf8');

  it('goes with all that is in it, and no other does', async () => {
    await make('one');
    await make('two');
    await mkdir(at('one/a/b'), { recursive: true });
    await writeFile(at('one/a/b/.c'), '');
    await workspaces().discard('one');
    expect(await readdir(at(''))).toEqual(['.parley', 'two']);
    expect(await readdir(at('.parley/going'))).toEqual([]);
    expect(await readFile(at('two/file'), 'utf8')).toBe('text');
  });

  it('is made anew for the next chat of that name', async () => {
    await make('one');
    await workspaces().discard('one');
    await make('one');
    await workspaces().discard('one');
    expect(existsSync(at('one'))).toBe(false);
  });

  it('is not inherited by a chat that is created again, though the server died before it went', async () => {
    const store = memoryStore();
    const config = loadConfig({ DATA_DIR: join(base, 'data'), WORKSPACE_DIR: at('') });
    const under = new Workspaces(config, store);
    const create = async (uid: string) => {
      await store.createChat(chatOf({ id: 'one', uid, created_at: new Date().toISOString() }));
    };
    const list = (uid: string) => under.use(uid, ({ path }) => readdir(path));
    await create('former');
    await under.use('former', ({ path }) => writeFile(join(path, 'file'), 'text'));
    await store.deleteChat('former');
    await create('latter');
    expect(await list('latter')).toEqual([]);
    await under.use('latter', ({ path }) => writeFile(join(path, 'new'), 'text'));
    await under.discard('former');
    expect(await list('latter')).toEqual(['new']);
    expect(await readdir(at('.parley/going'))).toEqual([]);
  });

  it('goes later if the server died between the deletion of its chat and its removal', async () => {
    const store = memoryStore();
    const config = loadConfig({ DATA_DIR: join(base, 'data'), WORKSPACE_DIR: at('') });
    const next = new Workspaces(config, store);
    const uids = ['gone', 'kept', 'going'];
    for (const uid of uids) {
      await store.createChat(chatOf({ id: uid, uid, created_at: new Date().toISOString() }));
      await next.use(uid, ({ path }) => writeFile(join(path, 'file'), 'text'));
      await next.intendDiscard(uid);
    }
    const hourAgo = Date.now() / 1000 - 3_600;
    for (const uid of ['gone', 'kept']) await utimes(note(uid), hourAgo, hourAgo);
    for (const uid of ['gone', 'going']) await store.deleteChat(uid);
    await next.discardOverdue();
    expect((await readdir(at(''))).toSorted()).toEqual(['.parley', 'going', 'kept']);
    expect(await readdir(join(base, 'data/discards'))).toEqual(['going']);
    await next.discard('going');
    expect(await readdir(join(base, 'data/discards'))).toEqual([]);
  });

  it('goes although another process removes a note of another chat meanwhile', async () => {
    const store = memoryStore();
    const config = loadConfig({ DATA_DIR: join(base, 'data'), WORKSPACE_DIR: at('') });
    await make('gone');
    await workspaces().intendDiscard('gone');
    const hourAgo = Date.now() / 1000 - 3_600;
    await utimes(note('gone'), hourAgo, hourAgo);
    await symlink('nowhere', note('another')); // is listed, and is not there
    await new Workspaces(config, store).discardOverdue();
    expect(existsSync(at('gone'))).toBe(false);
  });

  it('stays if all chats share it, or other chats can name it', async () => {
    await make('one');
    await workspaces({ WORKSPACE_MODE: 'shared' }).discard('one');
    for (const root of [base, at(''), at('one')])
      await workspaces({ WORKSPACE_ROOTS: root }).discard('one');
    expect(await readdir(at('one'))).toEqual(['file']);
  });

  it('is nothing to wonder about when it was never made', async () => {
    await workspaces().discard('one');
    expect(existsSync(at(''))).toBe(false);
    await make('two');
    await workspaces().discard('one');
    expect(await readdir(at('two'))).toEqual(['file']);
  });

  it('takes nothing along that links lead to', async () => {
    await make('one');
    await symlink(join(base, 'outside'), at('one/out'));
    await symlink('../../outside/kept', at('one/kept'));
    await make('two');
    await rm(at('two'), { recursive: true });
    await symlink(join(base, 'outside'), at('two'));
    for (const chat of ['one', 'two']) await workspaces().discard(chat);
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
    // A removal gives up after 10 s, and the next one goes on.
    await eventually(async () => {
      await workspaces().discard('one');
      return (await readdir(at('.parley/going'))).length === 0;
    });
  });

  it('goes with the next one if it could not go at once', async () => {
    await make('one');
    await mkdir(at('.parley/going/left/a'), { recursive: true });
    await writeFile(at('.parley/going/left/a/file'), '');
    await workspaces().discard('one');
    expect(await readdir(at('.parley/going'))).toEqual([]);
  });

  it('does not throw when something else is in the way', async () => {
    await make('one');
    await symlink(join(base, 'outside'), at('.parley'));
    await workspaces().discard('one');
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
