import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { AppError, messageOf } from '../kernel/app-error.js';
import { isMissing } from '../kernel/disk/missing-path.js';

export const MANIFEST = 'backup.json';
export const END = 'end.json';
/** Format of archives and of the file store; raised when older versions can't read it. */
export const FORMAT = 1;
const NAME = /^(backup\.json|end\.json|(tables|store|files|workspace)\/.+)$/;

/** The first entry of a backup. */
export interface Manifest {
  readonly format: number;
  readonly version: string;
  readonly created_at: string;
  readonly store: 'database' | 'file';
  /** Migrations of the tables; empty for the file store. */
  readonly migrations: readonly string[];
}

export interface ArchiveEntry {
  readonly name: string;
  readonly mode: number;
  /** Target of a symbolic link. */
  readonly linkname?: string | undefined;
  readonly is_folder: boolean;
  readonly content: AsyncIterable<Buffer>;
}

/** The manifest of an archive, and how many files and links are in which folder. */
export interface ArchiveSummary {
  readonly manifest: Manifest;
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Reads an archive to its end.
 * @throws AppError `backup_damaged`, `backup_newer`
 */
export async function checkArchive(path: string): Promise<ArchiveSummary> {
  let manifest: Manifest | undefined;
  const counts = new Map<string, number>();
  for await (const { name, is_folder, content } of readArchive(path)) {
    const folder = name.split('/', 1)[0]!;
    if (!is_folder) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    if (name === MANIFEST) manifest = parseManifest(await buffer(content));
    else if (!manifest) throw damaged(path, `it does not begin with ${MANIFEST}`);
    else for await (const _ of content);
  }
  if (!manifest) throw damaged(path, 'it is empty');
  return { manifest, counts };
}

/**
 * The entries, without the last, whose checksum is compared at the end. Each content is read before
 * the next entry.
 * @throws AppError `backup_damaged`
 */
export async function* readArchive(path: string): AsyncGenerator<ArchiveEntry> {
  const unpacking = extract();
  const feeding = pipeline(createReadStream(path), createGunzip(), unpacking);
  feeding.catch(() => {}); // awaited below
  const hash = createHash('sha256');
  let entries = 0;
  let end: { entries: number; sha256: string } | undefined;
  try {
    for await (const entry of unpacking) {
      const { name, size, mode, linkname, type } = entry.header;
      const isPlain = type === 'file' || type === 'symlink' || type === 'directory';
      if (end || !isPlain || !NAME.test(name) || name.split('/').includes('..'))
        throw damaged(path, `it has an entry ${JSON.stringify(name)}`);
      const chunks = entry as unknown as AsyncIterable<Buffer>;
      if (name === END) {
        end = JSON.parse((await buffer(chunks)).toString()) as typeof end;
        continue;
      }
      entries++;
      const link = type === 'symlink' ? (linkname ?? undefined) : undefined;
      hash.update(headOf({ name, size, linkname: link }));
      const content = hashed(path, chunks, hash);
      yield { name, mode, linkname: link, is_folder: type === 'directory', content };
    }
    await feeding;
  } catch (error) {
    throw toDamage(path, error);
  } finally {
    unpacking.destroy();
  }
  if (!end) throw damaged(path, 'it is cut off');
  if (end.entries !== entries || end.sha256 !== hash.digest('hex'))
    throw damaged(path, 'its checksum is another one');
}

/** The part of the checksum that an entry has besides its content. */
export function headOf(entry: {
  readonly name: string;
  readonly size: number;
  readonly linkname?: string | undefined;
}): string {
  const { name, size, linkname = '' } = entry;
  return `${JSON.stringify([name, size, linkname])}\n`;
}

async function* hashed(
  path: string,
  chunks: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await iterator.next().catch((error: unknown) => {
      throw toDamage(path, error);
    });
    if (done) return;
    hash.update(value);
    yield value;
  }
}

/** Other errors of the disk stay as they are. */
function toDamage(path: string, error: unknown): unknown {
  if (isMissing(error)) {
    const message = `There is no file ${resolve(path)}. Name the backup to restore.`;
    return new AppError('not_found', 'backup_not_found', message, { cause: error });
  }
  return error instanceof AppError || isOfDisk(error)
    ? error
    : damaged(path, messageOf(error), error);
}

function parseManifest(content: Buffer): Manifest {
  const manifest = JSON.parse(content.toString()) as Manifest;
  if (manifest.format <= FORMAT) return manifest;
  const message = `The backup is of a newer version of Parley (${manifest.version}), in a format that this one does not know. Restore it with that version or a newer one.`;
  throw new AppError('conflict', 'backup_newer', message);
}

/** The file can't be opened, or its disk can't be read. */
function isOfDisk(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}

function damaged(path: string, why: string, cause?: unknown): AppError {
  const message = `${path} is damaged, or no backup: ${why}. Nothing was changed. Take another copy of it.`;
  return new AppError('invalid', 'backup_damaged', message, { cause });
}
