import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { AppError } from '../../kernel/app-error.js';
import { syncFolder } from '../../kernel/disk/sync-folder.js';

export const TEMPORARY_SUFFIX = '.tmp';

const syncData = promisify(fdatasync);

interface Addition {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly create?: boolean;
}

/**
 * Writes at `offset`, the end of the file, and waits until the data is on the disk. All or nothing,
 * except if the process is killed: readers drop a partial append. The write itself is synchronous:
 * it only copies into the page cache, which is ten times cheaper than a trip through the thread
 * pool.
 */
export function appendDurably(path: string, addition: Addition): Promise<void> {
  return onDisk(append(path, addition));
}

async function append(path: string, { bytes, offset, create }: Addition): Promise<void> {
  const fd = openSync(path, create ? 'wx' : 'r+');
  try {
    // An earlier append may have failed, and its truncation too. Its data must be removed first.
    if (!create && fstatSync(fd).size > offset) ftruncateSync(fd, offset);
    writeAll(fd, bytes, offset);
    await syncData(fd);
  } catch (error) {
    if (create) unlinkSync(path);
    else truncateQuietly(fd, offset);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Atomic: readers, and a start after a kill, find either the old file or the new one, complete. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await onDisk(writeFile(path + TEMPORARY_SUFFIX, text));
  await rename(path + TEMPORARY_SUFFIX, path);
}

/** Like `replaceFile`, and durable: also holds after a power loss. */
export async function replaceDurably(path: string, text: string | Uint8Array): Promise<void> {
  await onDisk(writeFile(path + TEMPORARY_SUFFIX, text, { flush: true }));
  await rename(path + TEMPORARY_SUFFIX, path);
}

/** `syncFolder` with the errors of `onDisk`. */
export function syncDirectory(path: string): Promise<void> {
  return onDisk(syncFolder(path));
}

function writeAll(fd: number, bytes: Uint8Array, offset: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(fd, bytes, written, bytes.length - written, offset + written);
  }
}

function truncateQuietly(fd: number, length: number): void {
  try {
    ftruncateSync(fd, length);
  } catch {
    // The next append truncates the rest, or the next start drops it.
  }
}

/**
 * Transient disk errors: full, over quota, I/O error, read-only; or too many open file descriptors.
 */
const TRANSIENT_CODES = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/**
 * Waits for a disk operation.
 * @throws AppError `store_unavailable` if a later retry may succeed
 */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toDiskFault(error);
  }
}

function toDiskFault(cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined || !TRANSIENT_CODES.has(code)) return cause;
  return new AppError(
    'unavailable',
    'store_unavailable',
    `The data directory takes nothing at the moment (${code}). Try again; if it lasts, check that its disk has room and is writable.`,
    { cause },
  );
}
