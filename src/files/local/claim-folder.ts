import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TENANT_ID } from '../../auth/principal.js';
import { AppError } from '../../kernel/app-error.js';
import { makePrivateFolder } from '../../kernel/disk/private-folder.js';
import { ifMissing } from '../../kernel/disk/missing-path.js';
import type { FileCatalog } from '../file-catalog.js';

/** Begins with a dot, as no tenant does. */
export const MARKER = '.folder-id';

/**
 * The id of the folder with the bytes of the catalog's files. The folder has it in a file, its
 * marker, and the store keeps it: so a process that has another folder, or an empty one, finds out
 * before it says that files are missing, or sweeps those of another store. A new store gets a new
 * folder.
 * @throws AppError `files_dir_unusable`, `files_dir_foreign`
 */
export async function claimFolder(
  path: string,
  catalog: Pick<FileCatalog, 'findFolder' | 'claimFolder'>,
): Promise<string> {
  await makePrivateFolder('FILES_DIR', path);
  const isUsed = (await readMarker(path)) !== undefined && (await hasTenants(path));
  const known = await catalog.findFolder();
  // After the store: of processes that start at once, the first makes it before it claims it.
  const marked = await readMarker(path);
  if (known !== undefined && known !== marked) throw notTheFolder(path, known, marked);
  if (known === undefined && isUsed) throw ofAnotherStore(path);
  if (known !== undefined) return known;
  const id = marked ?? (await mark(path));
  const kept = await catalog.claimFolder(id);
  if (kept === id) return id;
  if (marked === undefined) await rm(join(path, MARKER), { force: true });
  throw notTheFolder(path, kept, undefined);
}

/** Undefined: there is none, and the folder may be one on which a file system is mounted. */
export async function readMarker(path: string): Promise<string | undefined> {
  const id = await readFile(join(path, MARKER), 'utf8').catch(ifMissing(undefined));
  return id?.trim();
}

/** Makes the marker, with its content, in only one of the processes that start at once. */
async function mark(path: string): Promise<string> {
  const id = `folder_${randomUUID()}`;
  const fresh = join(path, `${MARKER}.${id}`);
  await writeFile(fresh, `${id}\n`, { mode: 0o600, flush: true });
  try {
    await link(fresh, join(path, MARKER));
    return id;
  } catch (error) {
    const made = await readMarker(path);
    if (made !== undefined) return made;
    throw error;
  } finally {
    await rm(fresh, { force: true });
  }
}

async function hasTenants(path: string): Promise<boolean> {
  return (await readdir(path)).some((name) => TENANT_ID.test(name));
}

function notTheFolder(path: string, known: string, marked: string | undefined): AppError {
  const marker = join(path, MARKER);
  const found =
    marked === undefined
      ? `${marker} is missing`
      : `${marker} names ${marked || 'nothing'}, and not ${known}`;
  const remedy =
    marked === undefined
      ? ` If the files were moved here without it, or are lost, run: echo ${known} > ${marker}`
      : '';
  return foreign(
    `FILES_DIR ${path} is not the folder that has the files of this server: ${found}. Set FILES_DIR to that folder, the same for all processes.${remedy}`,
  );
}

function ofAnotherStore(path: string): AppError {
  return foreign(
    `FILES_DIR ${path} has the files of another server, which this one would remove. Set FILES_DIR to a folder of its own. If these are its files, because its database is an older copy, remove ${join(path, MARKER)}.`,
  );
}

function foreign(message: string): AppError {
  return new AppError('internal', 'files_dir_foreign', message);
}
