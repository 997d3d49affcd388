import { createHash } from 'node:crypto';
import { open, readlink, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { AppError } from '../kernel/app-error.js';
import { readSpan } from '../kernel/disk/read-span.js';
import { syncFolder } from '../kernel/disk/sync-folder.js';
import { ifMissing, isMissing } from '../kernel/disk/missing-path.js';
import { END, headOf } from './archive.js';

/**
 * Writes a backup: a tar.gz whose last entry has a checksum of all others. It has its name once it
 * is whole.
 */
export class ArchiveWriter {
  private readonly archive = pack();
  private readonly hash = createHash('sha256');
  private readonly part: string;
  private readonly written: Promise<void>;
  private entries = 0;

  /** Replaces the part that an interrupted backup has left at the path. */
  static async create(path: string): Promise<ArchiveWriter> {
    const file = await open(`${path}.part`, 'w', 0o600).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      const message = `There is no folder ${dirname(resolve(path))} to write the backup into. Create it.`;
      throw new AppError('not_found', 'backup_folder_missing', message, { cause: error });
    });
    return new ArchiveWriter(path, file);
  }

  private constructor(
    private readonly path: string,
    file: FileHandle,
  ) {
    this.part = `${path}.part`;
    const target = file.createWriteStream({ flush: true });
    this.written = pipeline(this.archive, createGzip({ level: 4 }), target);
    this.written.catch(() => {}); // `finish` and each entry fail with it
  }

  /** True for the file that is written. */
  isOwn(path: string): boolean {
    return path === this.part || path === this.path;
  }

  async add(name: string, content: Buffer): Promise<void> {
    const entry = this.archive.entry({ name, size: content.length, mode: 0o600 });
    this.note(name, content.length);
    this.hash.update(content);
    entry.end(content);
    await this.until(finished(entry));
  }

  /** A file that is removed meanwhile is left out; one that is cut meanwhile ends with zeros. */
  async addFile(name: string, path: string): Promise<boolean> {
    const file = await open(path, 'r').catch(ifMissing(undefined));
    if (!file) return false;
    try {
      const { size, mode } = await file.stat();
      const entry = this.archive.entry({ name, size, mode: mode & 0o777 });
      this.note(name, size);
      for (let left = size; left > 0;) {
        const wanted = Math.min(left, 256 * 1024);
        const read = await readSpan(file, size - left, wanted);
        const chunk = read.length < wanted ? Buffer.concat([read], wanted) : read;
        this.hash.update(chunk);
        left -= chunk.length;
        if (!entry.write(chunk))
          await this.until(new Promise<void>((go) => entry.once('drain', go)));
      }
      entry.end(undefined);
      await this.until(finished(entry));
      return true;
    } finally {
      await file.close();
    }
  }

  async addFolder(name: string): Promise<void> {
    this.note(name, 0);
    this.archive.entry({ name, type: 'directory', mode: 0o700 });
  }

  async addLink(name: string, path: string): Promise<void> {
    const linkname = await readlink(path).catch(ifMissing(undefined));
    if (linkname === undefined) return;
    this.note(name, 0, linkname);
    this.archive.entry({ name, type: 'symlink', linkname });
  }

  async finish(): Promise<void> {
    const { entries } = this;
    const end = Buffer.from(JSON.stringify({ entries, sha256: this.hash.digest('hex') }));
    this.archive.entry({ name: END, mode: 0o600 }, end);
    this.archive.finalize();
    await this.written;
    await rename(this.part, this.path);
    await syncFolder(dirname(resolve(this.path)));
  }

  async abort(): Promise<void> {
    this.archive.destroy();
    await this.written.catch(() => {});
    await rm(this.part, { force: true });
  }

  private note(name: string, size: number, linkname?: string): void {
    this.entries++;
    this.hash.update(headOf({ name, size, linkname }));
  }

  /** Fails when the file can't be written. */
  private async until(work: Promise<void>): Promise<void> {
    await Promise.race([work, this.written]);
  }
}
