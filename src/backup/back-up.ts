import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { MARKER } from '../files/local/claim-folder.js';
import { LocalFileStore } from '../files/local/local-file-store.js';
import { AppError } from '../kernel/app-error.js';
import { ifMissing } from '../kernel/disk/missing-path.js';
import { DataDirLock } from '../storage/data-dir-lock.js';
import { STORE_FILES, STORE_FOLDERS } from '../storage/file/snapshot.js';
import { SNAPSHOT } from '../storage/open-storage.js';
import type { SavedTables, TableRows } from '../storage/table-rows.js';
import { FORMAT, MANIFEST } from './archive.js';
import type { Manifest } from './archive.js';
import { ArchiveWriter } from './archive-writer.js';

/** Approximate size of the rows in an entry. */
const PART_BYTES = 4 * 1024 * 1024;

export interface BackupOptions {
  readonly path: string;
  readonly version: string;
  readonly workspaces: boolean;
}

export interface BackupCounts {
  readonly rows: number;
  readonly files: number;
  readonly workspace_files: number;
}

/**
 * Writes everything that a server has saved into an archive, as of one point in time. The server
 * may run meanwhile.
 * @throws AppError `nothing_to_back_up`
 */
export async function backUp(config: Config, options: BackupOptions): Promise<BackupCounts> {
  if (existsSync(options.path))
    throw new AppError(
      'conflict',
      'backup_exists',
      `There is a file ${options.path} already. Name another.`,
    );
  const writer = await ArchiveWriter.create(resolve(options.path));
  try {
    const rows = await addStore(config, options, writer);
    // After the store: each file that it has is there, unless it is deleted meanwhile.
    const files = config.fileStore === 'local' ? await addFiles(config, writer) : 0;
    const { workspaceDir } = config;
    const workspace_files = options.workspaces
      ? await addTree(writer, { root: workspaceDir, prefix: 'workspace' })
      : 0;
    await writer.finish();
    return { rows, files, workspace_files };
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

async function addStore(
  config: Config,
  options: BackupOptions,
  writer: ArchiveWriter,
): Promise<number> {
  const { openTables } = await import('../storage/typeorm/backup/open-tables.js');
  if (config.databaseUrl) {
    const tables = await openTables({ url: config.databaseUrl.reveal() });
    return addTables(tables, options, writer);
  }
  return withDataDir(config, async (dataDir) => {
    if (config.store === 'file') return addStoreFiles(dataDir, options, writer);
    if (!existsSync(join(dataDir, 'db'))) throw nothing(dataDir);
    return addTables(await openTables({ dataDir }), options, writer);
  });
}

/** `DATA_DIR` while no server uses it, or the copy that its server makes. */
async function withDataDir<T>(
  { dataDir }: Config,
  work: (dataDir: string) => Promise<T>,
): Promise<T> {
  if (!existsSync(dataDir)) throw nothing(dataDir);
  const answer = await DataDirLock.ask(dataDir, SNAPSHOT);
  if (answer !== undefined) {
    const { path, error } = JSON.parse(answer) as { path?: string; error?: string };
    if (path === undefined) throw new Error(`The server can't copy its data: ${error}`);
    try {
      return await work(path);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }
  const lock = await DataDirLock.acquire(dataDir);
  try {
    return await work(dataDir);
  } finally {
    await lock.release();
  }
}

async function addTables(
  tables: SavedTables,
  options: BackupOptions,
  writer: ArchiveWriter,
): Promise<number> {
  try {
    const { migrations } = tables;
    await addManifest(writer, options, { store: 'database', migrations });
    let count = 0;
    let part = 0;
    let held: TableRows[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const lines = held.map((rows) => `${JSON.stringify(rows)}\n`);
      const name = `tables/${String(++part).padStart(6, '0')}.ndjson`;
      if (held.length > 0) await writer.add(name, Buffer.from(lines.join('')));
      [held, bytes] = [[], 0];
    };
    for await (const rows of tables.read()) {
      held.push(rows);
      count += rows.rows.length;
      for (const row of rows.rows) for (const value of row) bytes += value?.length ?? 0;
      if (bytes >= PART_BYTES) await flush();
    }
    await flush();
    return count;
  } finally {
    await tables.close();
  }
}

async function addStoreFiles(
  dataDir: string,
  options: BackupOptions,
  writer: ArchiveWriter,
): Promise<number> {
  if (!existsSync(join(dataDir, 'chats'))) throw nothing(dataDir);
  await addManifest(writer, options, { store: 'file', migrations: [] });
  let count = 0;
  for (const folder of STORE_FOLDERS) {
    await writer.addFolder(`store/${folder}`);
    count += await addTree(writer, { root: join(dataDir, folder), prefix: `store/${folder}` });
  }
  for (const name of STORE_FILES)
    if (await writer.addFile(`store/${name}`, join(dataDir, name))) count++;
  return count;
}

function addManifest(
  writer: ArchiveWriter,
  { version }: BackupOptions,
  of: Pick<Manifest, 'store' | 'migrations'>,
): Promise<void> {
  const manifest: Manifest = {
    ...{ format: FORMAT, version, created_at: new Date().toISOString() },
    ...of,
  };
  return writer.add(MANIFEST, Buffer.from(JSON.stringify(manifest, null, 2)));
}

/** Adds the files as they are stored: encrypted files stay encrypted. */
async function addFiles({ filesDir }: Config, writer: ArchiveWriter): Promise<number> {
  await writer.addFile(`files/${MARKER}`, join(filesDir, MARKER));
  let count = 0;
  for await (const { key } of new LocalFileStore(filesDir).list())
    if (await writer.addFile(`files/${key}`, join(filesDir, key))) count++;
  return count;
}

interface Tree {
  readonly root: string;
  readonly prefix: string;
}

/** Folders, files and symbolic links in a folder; links are not followed. Counts the files. */
async function addTree(
  writer: ArchiveWriter,
  { root, prefix }: Tree,
  folder = root,
): Promise<number> {
  let count = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ifMissing([]))) {
    const path = join(folder, entry.name);
    const name = `${prefix}/${relative(root, path)}`;
    if (writer.isOwn(path)) continue;
    if (entry.isDirectory()) {
      await writer.addFolder(name);
      count += await addTree(writer, { root, prefix }, path);
    } else if (entry.isSymbolicLink()) await writer.addLink(name, path);
    else if (entry.isFile() && (await writer.addFile(name, path))) count++;
  }
  return count;
}

function nothing(dataDir: string): AppError {
  const message = `There is nothing to back up in DATA_DIR ${dataDir}. Name that of the server, or its DATABASE_URL.`;
  return new AppError('conflict', 'nothing_to_back_up', message);
}
