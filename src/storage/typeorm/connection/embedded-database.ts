import { constants } from 'node:fs';
import { access, chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
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
  await mkdir(dataDir, { recursive: true });
  if (!(await exists(path)) && (await exists(template))) await copyDirectory(template, path);
  return PGlite.create({
    dataDir: path,
    initDbStartParams: INITDB_PARAMETERS,
    startParams: [...PGlite.defaultStartParams, ...SERVER_PARAMETERS],
  });
}

/** Atomic: complete or not at all, even if the process is killed. */
async function copyDirectory(source: string, path: string): Promise<void> {
  const incomplete = `${path}.new`;
  await rm(incomplete, { recursive: true, force: true });
  await cp(source, incomplete, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await setModes(incomplete, { directories: 0o700, files: 0o600 });
  await rename(incomplete, path);
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
