import { chmodSync, constants, copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { access, chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';

/**
 * The smallest segment size of the write-ahead log: a third less to write when the directory is
 * new, and a smaller directory from then on.
 */
export const INITDB_PARAMETERS = ['--wal-segsize=1'];

/** An eighth of Postgres's default: Postgres touches all of it at start, and it stays resident. */
const SERVER_PARAMETERS = ['-c', 'shared_buffers=16MB'];

const PRIVATE = { directories: 0o700, files: 0o600 };

/**
 * An initialized database with its tables, created by `npm run build`. It does not exist when
 * running from the sources; `initdb` takes seconds and 500 MB (docs/adr/0016-embedded-start.md).
 */
export const TEMPLATE = fileURLToPath(new URL('../../../../embedded-database', import.meta.url));

/**
 * Opens or creates the database in `<dataDir>/db`. The caller must hold the lock of `dataDir`
 * (`DataDirLock`): two processes on one directory destroy it.
 */
export async function openEmbeddedDatabase(dataDir: string, template = TEMPLATE): Promise<PGlite> {
  const path = join(dataDir, 'db');
  if (!(await exists(path)) && (await exists(template))) await copyDirectory(template, path);
  const isNew = !(await exists(path));
  const database = await PGlite.create({
    dataDir: path,
    initDbStartParams: INITDB_PARAMETERS,
    startParams: [...PGlite.defaultStartParams, ...SERVER_PARAMETERS],
  });
  if (isNew) {
    await dropTemplates(database);
    await setModes(path, PRIVATE); // `initdb` disregards the umask
  }
  return database;
}

/** Only `CREATE DATABASE` needs them, and they are half of the files of a new directory. */
async function dropTemplates(database: PGlite): Promise<void> {
  for (const name of ['template0', 'template1']) {
    await database.exec(`ALTER DATABASE ${name} IS_TEMPLATE false`);
    await database.exec(`DROP DATABASE ${name}`);
  }
}

/** Atomic: complete or not at all, even if the process is killed. */
async function copyDirectory(source: string, path: string): Promise<void> {
  const incomplete = `${path}.new`;
  await rm(incomplete, { recursive: true, force: true });
  copyFiles(source, incomplete);
  await rename(incomplete, path);
}

/** Synchronous: a sixth of the time for a thousand small files, and nothing else runs yet. */
function copyFiles(source: string, path: string): void {
  mkdirSync(path, { mode: PRIVATE.directories });
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(path, entry.name)];
    if (entry.isDirectory()) copyFiles(from, to);
    else {
      copyFileSync(from, to, constants.COPYFILE_FICLONE);
      chmodSync(to, PRIVATE.files);
    }
  }
}

/** Sets the permissions of a directory and of everything below it. */
export async function setModes(
  path: string,
  { directories, files }: { readonly directories: number; readonly files: number },
): Promise<void> {
  await chmod(path, directories);
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? directories : files);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
