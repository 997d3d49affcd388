import { isUtf8 } from 'node:buffer';
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Redaction } from '../../guardrails/redaction/redaction.js';
import { messageOf } from '../../kernel/app-error.js';
import { doneWithin } from '../../kernel/async/promises.js';
import { Clock } from '../../kernel/clock.js';
import { makeFolder } from '../../kernel/disk/private-folder.js';
import { withWireTap } from '../../models/http/wire-tap.js';
import { TurnFile } from './turn-file.js';
import type { TurnNames } from './turn-file.js';

const SUFFIX = '.turn.txt';
const MAX_FILES = 1000;
const MAX_BYTES = 1024 * 1024 * 1024;
/** Files that are kept in memory until they are written; further ones are dropped. */
const MAX_WAITING = 50;
/** Time that answers have to end after their turn, in milliseconds. */
const LINGER_MS = 5000;

/**
 * Writes a file of each model turn into `MODEL_DEBUG_DIR`: its requests and their raw answers, with
 * what is secret redacted. Only providers that speak HTTP have any. Does nothing without the
 * variable.
 */
@Injectable()
export class TurnFiles implements OnApplicationShutdown {
  private readonly logger = new Logger('Models');
  private readonly waiting = new Set<Promise<void>>();
  private last: Promise<void> = Promise.resolve();
  /** Sizes of the files in the folder, in bytes, by name. */
  private sizes: ReadonlyMap<string, number> = new Map();
  private hasTold = false;

  constructor(
    private readonly config: Config,
    private readonly redaction: Redaction,
    private readonly clock: Clock,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.waiting);
  }

  /** Does the work of a turn; its file is written afterwards, and no fault of that is thrown. */
  async record<T>(turn: TurnNames, work: () => Promise<T>): Promise<T> {
    if (this.config.modelDebugDir === undefined) return work();
    const file = new TurnFile(turn, this.clock);
    try {
      return await withWireTap(file, work);
    } finally {
      if (!file.isEmpty) this.enqueue(this.config.modelDebugDir, file);
    }
  }

  private enqueue(folder: string, file: TurnFile): void {
    if (this.waiting.size >= MAX_WAITING) return this.tell('the disk is too slow');
    const saved = this.save(folder, file).catch((error: unknown) => this.tell(messageOf(error)));
    this.waiting.add(saved);
    void saved.then(() => this.waiting.delete(saved));
  }

  private async save(folder: string, file: TurnFile): Promise<void> {
    await doneWithin(file.ended(), LINGER_MS);
    const written = this.last.then(() => this.write(folder, file));
    this.last = written.catch(() => {});
    await written;
  }

  private async write(folder: string, file: TurnFile): Promise<void> {
    const parts: Buffer[] = [];
    for (const part of file.content()) parts.push(await this.redacted(part));
    await makeFolder(folder);
    const path = join(folder, `${file.name}${SUFFIX}`);
    try {
      await writeFile(path, Buffer.concat(parts), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') await remove(path); // a part, as of a disk that is full
      throw error;
    }
    await this.removeOldest(folder);
  }

  /** Other bytes than those of secrets stay as they are. */
  private async redacted(bytes: Buffer): Promise<Buffer> {
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
    return Buffer.from(await this.redaction.ofRaw(bytes.toString(encoding)), encoding);
  }

  private async removeOldest(folder: string): Promise<void> {
    const files = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX));
    const kept = new Map<string, number>();
    let bytes = 0;
    for (const name of files.toSorted().toReversed()) {
      const size = this.sizes.get(name) ?? (await sizeOf(join(folder, name)));
      bytes += size;
      if (kept.size < MAX_FILES && bytes <= MAX_BYTES) kept.set(name, size);
      else await remove(join(folder, name));
    }
    this.sizes = kept;
  }

  private tell(why: string): void {
    if (this.hasTold) return;
    this.hasTold = true;
    this.logger.warn(`MODEL_DEBUG_DIR: files are missing there, as ${why}.`);
  }
}

/** 0 for a file that another process has removed. Of a link, not of what it leads to. */
function sizeOf(path: string): Promise<number> {
  return lstat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Leaves what can't be removed, such as a folder that others have put there. */
function remove(path: string): Promise<void> {
  return rm(path, { force: true }).catch(() => {});
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
