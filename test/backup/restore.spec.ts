import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ArchiveWriter } from '../../src/backup/archive-writer.js';
import { backUp } from '../../src/backup/back-up.js';
import { restore } from '../../src/backup/restore.js';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load-config.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { chatOf } from '../support/store/chat-parts.js';

const created_at = '2026-01-15T10:00:00.000Z';
const UID = '00000000-0000-4000-8000-000000000001';
const fail = (problem: string): never => {
  throw new Error(problem);
};

describe(restore.name, () => {
  let folder: string;
  let source: Config;
  let path: string;
  const configOf = (name: string, STORE = 'file') =>
    loadConfig({
      ...{ STORE, DATA_DIR: join(folder, name, 'data') },
      WORKSPACE_DIR: join(folder, name, 'workspace'),
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-backup-'));
    source = configOf('source');
    path = join(folder, 'backup.tar.gz');
    const storage = await openStorage(source, new SystemClock(), fail);
    await storage.chats.createChat(chatOf({ uid: UID, id: 'one', tenant_id: 'acme', created_at }));
    await mkdir(join(source.filesDir, 'acme'), { recursive: true });
    await writeFile(join(source.filesDir, 'acme', 'file_1'), 'bytes');
    await mkdir(join(source.workspaceDir, UID, 'bin'), { recursive: true });
    await writeFile(join(source.workspaceDir, UID, 'bin', 'run'), '#!/bin/sh', { mode: 0o755 });
    await symlink('bin/run', join(source.workspaceDir, UID, 'link'));
    await writeFile(join(source.workspaceDir, UID, `${'x'.repeat(200)}.txt`), 'long name');
    await storage.close();
    await backUp(source, { path, version: '1.0.0', workspaces: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What is in the places of a server. */
  const contents = async ({ dataDir, workspaceDir }: Config): Promise<string[]> => {
    const names = await Promise.all(
      [dataDir, workspaceDir].map((each) => readdir(each, { recursive: true }).catch(() => [])),
    );
    return names.flat().filter((name) => !name.startsWith('lock.'));
  };

  it('puts everything where it was', async () => {
    const target = configOf('whole');
    const { counts } = await restore(target, path);
    expect(Object.fromEntries(counts)).toMatchObject({ files: 1, workspace: 3 });
    expect((await contents(target)).toSorted()).toEqual((await contents(source)).toSorted());
    const own = join(target.workspaceDir, UID);
    expect(await readFile(join(own, 'link'), 'utf8')).toBe('#!/bin/sh');
    expect(await readFile(join(target.filesDir, 'acme', 'file_1'), 'utf8')).toBe('bytes');
    const storage = await openStorage(target, new SystemClock(), fail);
    expect(await storage.chats.findChatByUid(UID)).toMatchObject({ id: 'one' });
    await storage.close();
  });

  it('refuses a place that is not empty, and names it', async () => {
    const message = expect.stringContaining('is not empty: it has');
    const places = (config: Config) => [
      ['DATA_DIR', join(config.dataDir, 'chats')],
      ['FILES_DIR', join(config.filesDir, 'acme')],
      ['WORKSPACE_DIR', join(config.workspaceDir, 'mine')],
    ];
    for (const [index, [variable]] of places(source).entries()) {
      const target = configOf(`full-${index}`);
      const taken = places(target)[index]![1]!;
      await mkdir(taken, { recursive: true });
      await expect(restore(target, path)).rejects.toMatchObject({
        ...{ code: 'restore_not_empty', message },
      });
      await expect(restore(target, path)).rejects.toThrow(variable);
      expect(await readdir(taken)).toEqual([]);
    }
  });

  it('refuses what is cut off anywhere, or changed anywhere, and changes nothing', async () => {
    const whole = await readFile(path);
    const copy = join(folder, 'copy.tar.gz');
    const target = configOf('untouched');
    for (const part of [0, 0.1, 0.5, 0.9, 0.999]) {
      await writeFile(copy, whole);
      await truncate(copy, Math.floor(whole.length * part));
      await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup_damaged' });
      await writeFile(copy, whole);
      const at = Math.floor((whole.length - 1) * part);
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      if (unpacksTo(changed, gunzipSync(whole))) continue; // as in the header, or among zeros
      await writeFile(copy, changed);
      await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup_damaged' });
    }
    await writeFile(copy, 'no archive at all');
    await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup_damaged' });
    await rm(copy);
    await expect(restore(target, copy)).rejects.toMatchObject({
      ...{ code: 'backup_not_found', message: expect.stringContaining(copy) },
    });
  });

  it('refuses an archive with another content, though it is well-formed', async () => {
    const unpacked = gunzipSync(await readFile(path)).toString('latin1');
    const copy = join(folder, 'other.tar.gz');
    const changed = unpacked.replace('#!/bin/sh', '#!/bin/xx');
    expect(changed).not.toBe(unpacked);
    await writeFile(copy, gzipSync(Buffer.from(changed, 'latin1')));
    const target = configOf('other');
    await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup_damaged' });
    expect(await contents(target)).toEqual([]);
  });

  it('refuses an archive that lacks an entry, though it is well-formed', async () => {
    const copy = join(folder, 'endless.tar.gz');
    const writer = await ArchiveWriter.create(copy);
    await writer.add('backup.json', manifest({}));
    await writer.add('../outside', Buffer.from('x'));
    await writer.finish();
    const target = configOf('lacking');
    await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup_damaged' });
  });

  it.each([
    ['in a newer format', { format: 99 }, 'newer version of Parley (9.9.9)'],
    [
      'of tables of a newer version',
      { store: 'database', migrations: ['FromTheFuture9'] },
      'FromTheFuture9',
    ],
  ])('refuses a backup %s, and says so', async (_, more, said) => {
    const copy = join(folder, `newer-${said.length}.tar.gz`);
    const writer = await ArchiveWriter.create(copy);
    await writer.add('backup.json', manifest(more));
    await writer.finish();
    const target = configOf(`newer-${said.length}`, 'database');
    const refused = restore(target, copy);
    await expect(refused).rejects.toMatchObject({
      ...{ code: 'backup_newer', message: expect.stringContaining(said) },
    });
    expect(await contents(target)).toEqual([]);
  });

  it('refuses a backup of the other store', async () => {
    await expect(restore(configOf('other', 'database'), path)).rejects.toMatchObject({
      code: 'backup_of_other_store',
    });
  });

  it('says that there is nothing to back up, and leaves no file', async () => {
    const options = { path: join(folder, 'none.tar.gz'), version: '1.0.0', workspaces: true };
    for (const store of ['file', 'database'])
      await expect(backUp(configOf('nowhere', store), options)).rejects.toMatchObject({
        code: 'nothing_to_back_up',
      });
    await expect(backUp(source, { ...options, path })).rejects.toMatchObject({
      code: 'backup_exists',
    });
    const missing = { ...options, path: join(folder, 'no', 'folder.tar.gz') };
    await expect(backUp(source, missing)).rejects.toMatchObject({
      ...{ code: 'backup_folder_missing', message: expect.stringContaining(join(folder, 'no')) },
    });
    expect((await readdir(folder)).filter((name) => name.includes('none'))).toEqual([]);
  });
});

function manifest(more: object): Buffer {
  const basic = { format: 1, version: '9.9.9', created_at, store: 'file', migrations: [] };
  return Buffer.from(JSON.stringify({ ...basic, ...more }));
}

function unpacksTo(archive: Buffer, content: Buffer): boolean {
  try {
    return gunzipSync(archive).equals(content);
  } catch {
    return false;
  }
}
