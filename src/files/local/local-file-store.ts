import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import type { Stats } from 'node:fs';
import { copyFile, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { TENANT_ID } from '../../auth/principal.js';
import { AppError } from '../../kernel/app-error.js';
import { syncFolder } from '../../kernel/disk/sync-folder.js';
import { ifMissing } from '../../kernel/disk/missing-path.js';
import { FileStore, filesUnavailable, noBytes } from '../file-store.js';
import type { ByteRange, StoredBytes } from '../file-store.js';
import { readMarker } from './claim-folder.js';

const FILE_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Begins with a dot, as no tenant does. */
const INCOMING = '.incoming';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** The bytes in a folder, `<tenant>/<file id>`, which only the user of the server can read. */
export class LocalFileStore extends FileStore {
  /**
   * @param id that its marker has: nothing is written where the file system with the folder is not
   * mounted. Undefined: it has no marker.
   */
  constructor(
    private readonly root: string,
    private readonly id?: string,
  ) {
    super();
  }

  async put(key: string, source: Readable): Promise<void> {
    await this.bring(key, async (path) => {
      const file = await open(path, 'wx', FILE_MODE);
      try {
        await writeAll(file, source);
        await file.sync();
      } finally {
        await file.close();
      }
    });
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const file = await onDisk(open(this.pathOf(key), constants.O_RDONLY), key);
    return createReadStream('', { fd: file, ...range });
  }

  async delete(key: string): Promise<void> {
    await onDisk(rm(this.pathOf(key), { force: true }), key);
  }

  async copy(from: string, to: string): Promise<void> {
    const source = this.pathOf(from);
    await this.bring(to, async (path) => {
      await onDisk(copyFile(source, path, constants.COPYFILE_EXCL), from);
      await sync(path);
    });
  }

  async *list(): AsyncGenerator<StoredBytes> {
    for await (const tenant of namesIn(this.root)) {
      if (!TENANT_ID.test(tenant)) continue;
      for await (const name of namesIn(join(this.root, tenant))) {
        const key = `${tenant}/${name}`;
        const stats = FILE_ID.test(name) && (await statOf(join(this.root, tenant, name)));
        if (stats) yield { key, size_bytes: stats.size, stored_at: stats.mtime };
      }
    }
  }

  async exists(key: string): Promise<boolean> {
    return (await statOf(this.pathOf(key))) !== undefined;
  }

  async presign(): Promise<undefined> {
    return undefined;
  }

  async removeUnfinished(before: Date): Promise<void> {
    const folder = join(this.root, INCOMING);
    for await (const name of namesIn(folder)) {
      const stats = await statOf(join(folder, name));
      if (stats && stats.mtime < before) await onDisk(rm(join(folder, name), { force: true }));
    }
  }

  /** Has `write` make a file, then moves it to its place. */
  private async bring(key: string, write: (path: string) => Promise<void>): Promise<void> {
    const target = this.pathOf(key);
    const incoming = join(this.root, INCOMING, randomUUID());
    if (this.id !== undefined && (await onDisk(readMarker(this.root))) !== this.id)
      throw filesUnavailable('their folder is gone', undefined);
    await onDisk(makeFolder(dirname(incoming)));
    await onDisk(makeFolder(dirname(target)));
    try {
      await onDisk(write(incoming));
      await onDisk(rename(incoming, target));
    } catch (error) {
      await rm(incoming, { force: true });
      throw error;
    }
    await onDisk(syncFolder(dirname(target)));
  }

  /** Only tenants and ids name a file. */
  private pathOf(key: string): string {
    const [tenant = '', id = '', ...rest] = key.split('/');
    if (rest.length === 0 && TENANT_ID.test(tenant) && FILE_ID.test(id))
      return join(this.root, tenant, id);
    throw new AppError('internal', 'invalid_key', `${JSON.stringify(key)} is no key of a file.`);
  }
}

async function writeAll(file: FileHandle, source: Readable): Promise<void> {
  for await (const chunk of source as AsyncIterable<Buffer>)
    for (let from = 0; from < chunk.length;) from += (await file.write(chunk, from)).bytesWritten;
}

/** A new folder is on the disk before what is in it. */
async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (made !== undefined) await syncFolder(dirname(path));
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Empty for a folder that is not there. */
async function* namesIn(path: string): AsyncGenerator<string> {
  const folder = await onDisk(opendir(path).catch(ifMissing(undefined)));
  if (folder) for await (const { name } of folder) yield name;
}

async function statOf(path: string): Promise<Stats | undefined> {
  return onDisk(stat(path).catch(ifMissing(undefined)));
}

/**
 * Waits for the disk.
 * @throws AppError `files_unavailable`; `file_not_found` where a key is read that is not there
 */
async function onDisk<T>(work: Promise<T>, key?: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error; // the source failed
    if (code === 'ENOENT' && key !== undefined) throw noBytes(key);
    const why =
      code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : `the disk says ${code}`;
    throw filesUnavailable(why, error);
  }
}

/** The code of an error of the operating system. */
function codeOf(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? undefined : code;
}
