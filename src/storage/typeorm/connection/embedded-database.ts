import { chmodSync, constants, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { access, chmod, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { AppError } from '../../../kernel/app-error.js';
import { isMissing } from '../../../kernel/disk/missing-path.js';

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

/** In a template: its files and folders, a line each; folders end with a slash. */
const CONTENTS = 'contents.txt';

/**
 * Opens or creates the database in `<dataDir>/db`. The caller must hold the lock of `dataDir`
 * (`DataDirLock`): two processes on one directory destroy it.
 * @throws AppError `prepared_database_incomplete`
 */
export async function openEmbeddedDatabase(dataDir: string, template = TEMPLATE): Promise<PGlite> {
  const path = join(dataDir, 'db');
  if (!(await exists(path)) && (await exists(template))) await copyTemplate(template, path);
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

/**
 * Makes a template of a database that is closed. Its list of contents is what the copy is made by:
 * archives such as npm's lose empty folders, without which Postgres does not start.
 */
export async function listContents(template: string): Promise<void> {
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const names = entries.map(
    (entry) =>
      relative(template, join(entry.parentPath, entry.name)) + (entry.isDirectory() ? '/' : ''),
  );
  await writeFile(join(template, CONTENTS), names.toSorted().join('\n'));
}

/** Atomic: complete or not at all, even if the process is killed. */
async function copyTemplate(template: string, path: string): Promise<void> {
  const incomplete = `${path}.new`;
  await rm(incomplete, { recursive: true, force: true });
  copyContents(template, incomplete);
  await rename(incomplete, path);
}

/** Synchronous: a sixth of the time for a thousand small files, and nothing else runs yet. */
function copyContents(template: string, path: string): void {
  mkdirSync(path, { mode: PRIVATE.directories });
  const contents = required(template, CONTENTS, (from) => readFileSync(from, 'utf8'));
  for (const name of contents.split('\n')) {
    const to = join(path, name);
    if (name.endsWith('/')) mkdirSync(to, { mode: PRIVATE.directories });
    else {
      required(template, name, (from) => copyFileSync(from, to, constants.COPYFILE_FICLONE));
      chmodSync(to, PRIVATE.files);
    }
  }
}

function required<T>(template: string, name: string, use: (path: string) => T): T {
  try {
    return use(join(template, name));
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new AppError(
      'internal',
      'prepared_database_incomplete',
      `The prepared database in ${template} lacks ${name}: the installation of Parley is incomplete. ` +
        'Install the package again, or build again with npm run build.',
      { cause },
    );
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
