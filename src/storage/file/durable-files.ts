import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { onDisk } from './disk-fault.js';

export const TEMPORARY_SUFFIX = '.tmp';

const syncData = promisify(fdatasync);

interface Addition {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly create?: boolean;
}

/**
 * Writes at `offset`, the file's end, and waits until it is on the disk. All or nothing as far as the file system can tell; what a killed
 * process leaves is the reader's to drop. The write itself is synchronous: it only copies into the page cache, which is ten times
 * cheaper than a trip through the thread pool.
 */
export function appendDurably(path: string, addition: Addition): Promise<void> {
  return onDisk(append(path, addition));
}

async function append(path: string, { bytes, offset, create }: Addition): Promise<void> {
  const fd = openSync(path, create ? 'wx' : 'r+');
  try {
    // An earlier append may have failed, and its truncation too: nothing of it may outlive this one.
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

/** Replaces a file so that whoever reads it, or a start after the process was killed, finds the old or the new one, whole. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await onDisk(writeFile(path + TEMPORARY_SUFFIX, text));
  await rename(path + TEMPORARY_SUFFIX, path);
}

/** The same, after a power loss too. */
export async function replaceDurably(path: string, text: string): Promise<void> {
  await onDisk(writeFile(path + TEMPORARY_SUFFIX, text, { flush: true }));
  await rename(path + TEMPORARY_SUFFIX, path);
}

/** Makes what was created, renamed or removed in a folder survive a power loss. Windows can't, and doesn't need to. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await onDisk(directory.sync());
  } finally {
    await directory.close();
  }
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
    // The next append truncates it, and the next start drops what is left of it.
  }
}
