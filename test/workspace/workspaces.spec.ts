import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import type { Environment } from '../../src/config/load-config.js';
import type { WholeStore } from '../support/store/whole-store.js';
import { chatOf } from '../support/store/chat-parts.js';
import { memoryStore } from '../support/store/whole-store.js';
import { WorkspaceFault } from '../../src/workspace/workspace-fault.js';
import { Workspaces } from '../../src/workspace/workspaces.js';

describe(Workspaces.name, () => {
  let base: string;
  let store: WholeStore;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'parley-workspaces-')));
    for (const name of ['data', 'projects/a', 'projects2/b'])
      await mkdir(join(base, name), { recursive: true });
    store = memoryStore();
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  const workspaces = (env: Environment = {}) =>
    new Workspaces(
      loadConfig({ DATA_DIR: join(base, 'data'), WORKSPACE_DIR: join(base, 'work'), ...env }),
      store,
    );
  const chat = async (id: string, metadata = {}) => {
    const created_at = new Date().toISOString();
    await store.createChat(chatOf({ id, uid: id, created_at, metadata }));
  };
  const pathOf = (chatId: string, env: Environment = {}) =>
    workspaces(env).use(chatId, ({ path }) => Promise.resolve(path));

  it('gives each chat a folder of its own', async () => {
    await chat('one');
    expect(await pathOf('one')).toBe(join(base, 'work/one'));
    expect(await pathOf('two')).toBe(join(base, 'work/two'));
  });

  it('has one folder for all when it is shared', async () => {
    expect(await pathOf('one', { WORKSPACE_MODE: 'shared' })).toBe(join(base, 'work'));
  });

  it('keeps tenants apart: in the shared folder, and under the roots', async () => {
    const AUTH = 'keys';
    const WORKSPACE_ROOTS = join(base, 'roots/{tenant}/open');
    for (const tenant_id of ['acme', 'evil']) {
      await mkdir(join(base, 'roots', tenant_id, 'open'), { recursive: true });
      const created_at = new Date().toISOString();
      const own = { uid: tenant_id, id: tenant_id, tenant_id, created_at };
      await store.createChat(chatOf(own));
      const metadata = { workspace: join(base, 'roots/acme/open') };
      await store.createChat(chatOf({ ...own, uid: `${tenant_id}2`, id: 'named', metadata }));
    }
    const shared = { AUTH, WORKSPACE_MODE: 'shared' };
    for (const tenant of ['acme', 'evil'])
      expect(await pathOf(tenant, shared)).toBe(join(base, 'work', tenant));
    expect(await pathOf('acme2', { AUTH, WORKSPACE_ROOTS })).toBe(join(base, 'roots/acme/open'));
    await expect(pathOf('evil2', { AUTH, WORKSPACE_ROOTS })).rejects.toThrow(WorkspaceFault);
  });

  it('does not follow a link in the place of a chat’s folder', async () => {
    await mkdir(join(base, 'work'));
    await symlink(join(base, 'data'), join(base, 'work/one'));
    await expect(pathOf('one')).rejects.toThrow(WorkspaceFault);
  });

  it('lets a chat name a folder under an allowed root', async () => {
    const roots = { WORKSPACE_ROOTS: join(base, 'projects') };
    await chat('one', { workspace: join(base, 'projects/a') });
    await chat('all', { workspace: join(base, 'projects') });
    expect(await pathOf('one', roots)).toBe(join(base, 'projects/a'));
    expect(await pathOf('all', roots)).toBe(join(base, 'projects'));
  });

  it.each([
    ['projects2/b'],
    ['projects/../projects2/b'],
    ['projects/link'],
    ['projects/file'],
    ['projects/missing'],
    ['data'],
    [''],
  ])('refuses one that is elsewhere: %s', async (named) => {
    await symlink('../projects2', join(base, 'projects/link'));
    await writeFile(join(base, 'projects/file'), '');
    await chat('one', { workspace: join(base, named) });
    await expect(pathOf('one', { WORKSPACE_ROOTS: join(base, 'projects') })).rejects.toThrow(
      WorkspaceFault,
    );
  });

  it('refuses the data, even under an allowed root', async () => {
    await chat('one', { workspace: join(base, 'data') });
    await chat('all', { workspace: base });
    for (const id of ['one', 'all'])
      await expect(pathOf(id, { WORKSPACE_ROOTS: base })).rejects.toThrow(WorkspaceFault);
  });

  it.each([
    ['the folder of the rules', { PERMISSIONS_FILE: 'projects/a/rules.json' }, 'projects/a'],
    ['a folder around the MCP servers', { MCP_CONFIG: 'projects/a/mcp.json' }, 'projects'],
    ['the agents', { AGENTS_DIR: 'projects/a' }, 'projects/a'],
    ['a folder in the agents', { AGENTS_DIR: 'projects' }, 'projects/a'],
    ['rules behind a link', { PERMISSIONS_FILE: 'link.json' }, 'projects/a'],
  ])('refuses %s, even under an allowed root', async (_, env, named) => {
    await writeFile(join(base, 'projects/a/real.json'), '');
    await symlink('projects/a/real.json', join(base, 'link.json'));
    const own = Object.entries(env).map(([name, path]) => [name, join(base, path)]);
    await chat('one', { workspace: join(base, named) });
    const options = { WORKSPACE_ROOTS: base, ...Object.fromEntries(own) } as Environment;
    await expect(pathOf('one', options)).rejects.toThrow(WorkspaceFault);
    await chat('two', { workspace: join(base, 'projects2') });
    expect(await pathOf('two', options)).toBe(join(base, 'projects2'));
  });

  it.each([[process.cwd()], [join(process.cwd(), 'src')], [dirname(process.cwd())]])(
    'refuses the code of the server: %s',
    async (named) => {
      await chat('one', { workspace: named });
      await expect(pathOf('one', { WORKSPACE_ROOTS: '/' })).rejects.toThrow(WorkspaceFault);
    },
  );

  it.each([['projects/a'], [7], [{}], ['/\0']])(
    'refuses what is no absolute path: %j',
    async (named) => {
      await chat('one', { workspace: named });
      await expect(pathOf('one', { WORKSPACE_ROOTS: '/' })).rejects.toThrow(/absolute path/);
    },
  );
});
