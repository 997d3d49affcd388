import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Config } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';
import { makePrivateFolder } from '../kernel/disk/private-folder.js';
import { syncFolder } from '../kernel/disk/sync-folder.js';
import { DataDirLock } from '../storage/data-dir-lock.js';
import { STORE_FILES, STORE_FOLDERS } from '../storage/file/snapshot.js';
import type { TableRows } from '../storage/table-rows.js';
import type { EmptyTables, TablesPlace } from '../storage/typeorm/backup/open-tables.js';
import { checkArchive, readArchive } from './archive.js';
import type { ArchiveEntry, ArchiveSummary, Manifest } from './archive.js';

/**
 * Puts a backup into an empty place: the configured store, `FILES_DIR` and `WORKSPACE_DIR`. All of
 * it is read and checked before; a failure leaves the place empty.
 * @throws AppError `backup_damaged`, `backup_newer`, `backup_of_other_store`, `restore_not_empty`
 */
export async function restore(config: Config, path: string): Promise<ArchiveSummary> {
  const summary = await checkArchive(path);
  const { dataDir, databaseUrl } = config;
  if (databaseUrl) await makePrivateFolder('DATA_DIR', dataDir);
  const lock = databaseUrl ? undefined : await DataDirLock.acquire(dataDir);
  try {
    await requireEmpty(config, summary);
    await new Restoration(config, summary).run(path);
    return summary;
  } finally {
    await lock?.release();
  }
}

class Restoration {
  /** A folder for what is not in its place yet; it is removed in the end. */
  private readonly aside: string;
  private readonly links: [path: string, target: string][] = [];

  constructor(
    private readonly config: Config,
    private readonly summary: ArchiveSummary,
  ) {
    this.aside = join(config.dataDir, `.restore-${randomUUID()}`);
  }

  async run(path: string): Promise<void> {
    const { filesDir, workspaceDir, fileStore } = this.config;
    try {
      await mkdir(this.aside, { mode: 0o700 });
      await (this.summary.manifest.store === 'file' ? this.files(path) : this.tables(path));
    } catch (error) {
      if (fileStore === 'local') await empty(filesDir);
      if (this.summary.counts.has('workspace')) await empty(workspaceDir);
      throw error;
    } finally {
      await rm(this.aside, { recursive: true, force: true });
    }
  }

  private async tables(path: string): Promise<void> {
    const { openEmptyTables } = await import('../storage/typeorm/backup/open-tables.js');
    const { databaseUrl, dataDir } = this.config;
    const place: TablesPlace = databaseUrl
      ? { url: databaseUrl.reveal() }
      : { dataDir: this.aside };
    const tables = await openEmptyTables(place, this.summary.manifest.migrations);
    try {
      for await (const entry of readArchive(path))
        if (entry.name.startsWith('tables/')) await addRows(tables, entry);
        else await this.take(entry);
      await this.finishFiles();
      await tables.writer.commit();
    } finally {
      await tables.close();
    }
    if (databaseUrl) return;
    await rename(join(this.aside, 'db'), join(dataDir, 'db'));
    await syncFolder(dataDir);
  }

  private async files(path: string): Promise<void> {
    for await (const entry of readArchive(path)) await this.take(entry);
    await this.finishFiles();
    // The chats come last: without them, there is no store.
    const names = [...STORE_FILES, ...STORE_FOLDERS.toReversed()];
    for (const name of names.filter((each) => existsSync(join(this.aside, each))))
      await rename(join(this.aside, name), join(this.config.dataDir, name));
    await syncFolder(this.config.dataDir);
  }

  private async take({ name, mode, linkname, is_folder, content }: ArchiveEntry): Promise<void> {
    const [folder = '', ...rest] = name.split('/');
    const { filesDir, workspaceDir } = this.config;
    const roots: Readonly<Record<string, string>> = {
      ...{ store: this.aside, files: filesDir, workspace: workspaceDir },
    };
    const root = roots[folder];
    if (root === undefined || (folder === 'files' && this.config.fileStore !== 'local')) {
      for await (const _ of content);
      return;
    }
    const path = join(root, ...rest);
    if (is_folder) return void (await mkdir(path, { recursive: true, mode: 0o700 }));
    if (linkname !== undefined) return void this.links.push([path, linkname]);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeNew(path, mode, content);
  }

  /** Links come after all files, so that none is written through one. */
  private async finishFiles(): Promise<void> {
    for (const [path, target] of this.links) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await symlink(target, path);
    }
  }
}

async function addRows({ writer }: EmptyTables, { content }: ArchiveEntry): Promise<void> {
  const text = (await buffer(content)).toString();
  for (const line of text.split('\n'))
    if (line !== '') await writer.add(JSON.parse(line) as TableRows);
}

async function writeNew(path: string, mode: number, content: AsyncIterable<Buffer>): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, mode);
  try {
    await writeFile(file, content, { flush: true });
  } finally {
    await file.close();
  }
}

/** @throws AppError `restore_not_empty`, `backup_of_other_store` */
async function requireEmpty(config: Config, { manifest, counts }: ArchiveSummary): Promise<void> {
  const { dataDir, filesDir, workspaceDir, databaseUrl, fileStore, store } = config;
  if (manifest.store !== store) throw ofOtherStore(manifest.store);
  const own = databaseUrl ? [] : ['db', ...STORE_FOLDERS, ...STORE_FILES];
  const found = own.find((name) => existsSync(join(dataDir, name)));
  if (found !== undefined) throw notEmpty('DATA_DIR', dataDir, found);
  const folders = [
    ...(fileStore === 'local' ? ([['FILES_DIR', filesDir]] as const) : []),
    ...(counts.has('workspace') ? ([['WORKSPACE_DIR', workspaceDir]] as const) : []),
  ];
  for (const [variable, path] of folders) {
    const [name] = existsSync(path) ? await readdir(path) : [];
    if (name !== undefined) throw notEmpty(variable, path, name);
  }
}

async function empty(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of await readdir(folder))
    await rm(join(folder, name), { recursive: true, force: true });
}

function notEmpty(variable: string, path: string, name: string): AppError {
  const message = `${variable} ${path} is not empty: it has ${name}. A backup is restored into empty places only. Name another folder, or move this one away.`;
  return new AppError('conflict', 'restore_not_empty', message);
}

function ofOtherStore(store: Manifest['store']): AppError {
  const message = `The backup is of STORE=${store}. Set that to restore it.`;
  return new AppError('conflict', 'backup_of_other_store', message);
}
