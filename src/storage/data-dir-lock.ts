import { createHash, randomBytes } from 'node:crypto';
import { link, readdir, realpath, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../kernel/app-error.js';
import { makePrivateFolder } from '../kernel/disk/private-folder.js';
import { askListener, close, findListener, isUnsupported, listenAt } from './lock-socket.js';
import type { Answer } from './lock-socket.js';

/** Maximum length of a Unix socket's path that every system supports, in bytes. */
const LONGEST_PATH = 100;
const ATTEMPTS = 50;
const LONGEST_PAUSE_MS = 20;

/** The location of a lock's files: `<directory>/<prefix><generation>`. */
interface Place {
  readonly directory: string;
  readonly prefix: string;
}

/**
 * An exclusive lock on a data directory: a Unix socket in it that listens. The operating system
 * closes the socket with its process, however the process ends, so a stale lock file accepts no
 * connection, even if the process id was reused.
 *
 * A process that finds no live lock creates the next generation of the file, which only one process
 * can do. It then checks again, and holds the lock if no other lock is live. Files are never
 * replaced, so a live lock can't be mistaken for a stale one and removed.
 */
export class DataDirLock {
  /** Answers requests of other processes of this user, such as `npm run backup`. */
  answer: Answer = async (request) => {
    throw new Error(`The process answers no "${request}".`);
  };

  private constructor(
    private readonly path: string,
    private readonly server: Server,
  ) {}

  /** The answer of the process that holds the lock; undefined: no process does. */
  static async ask(dataDir: string, request: string): Promise<string | undefined> {
    for (const place of [{ directory: dataDir, prefix: 'lock.' }, await placeOutside(dataDir)])
      for (const generation of await list(place)) {
        const path = pathOf(place, String(generation));
        if ((await findListener(path)) !== 'none') return askListener(path, request);
      }
    return undefined;
  }

  /** @throws AppError `data_dir_locked`, `data_dir_unusable` */
  static async acquire(dataDir: string): Promise<DataDirLock> {
    await makePrivateFolder('DATA_DIR', dataDir);
    const inside = { directory: dataDir, prefix: 'lock.' };
    const outside = await placeOutside(dataDir);
    if (Buffer.byteLength(pathOf(inside, 'new.00000000')) > LONGEST_PATH)
      return this.#acquireAt(outside, dataDir);
    try {
      return await this.#acquireAt(inside, dataDir);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      return this.#acquireAt(outside, dataDir);
    }
  }

  async release(): Promise<void> {
    await rm(this.path, { force: true });
    await close(this.server);
  }

  static async #acquireAt(place: Place, dataDir: string): Promise<DataDirLock> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const generations = await list(place);
      await requireDead(place, generations, dataDir);
      const lock = await this.#make(place, (generations.at(-1) ?? 0) + 1);
      if (lock && (await lock.#isAlone(place))) return lock;
      await lock?.release();
      await delay(Math.random() * LONGEST_PAUSE_MS);
    }
    throw locked(dataDir, 'unknown');
  }

  /**
   * Returns undefined if another process has created this generation. The socket already listens
   * when its file appears under this name, so it never looks stale.
   */
  static async #make(place: Place, generation: number): Promise<DataDirLock | undefined> {
    const path = pathOf(place, String(generation));
    const fresh = pathOf(place, `new.${randomBytes(4).toString('hex')}`);
    let lock: DataDirLock | undefined;
    const server = await listenAt(fresh, (request) => lock!.answer(request));
    try {
      await link(fresh, path);
      return (lock = new DataDirLock(path, server));
    } catch (error) {
      await close(server);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return undefined;
    } finally {
      await rm(fresh, { force: true });
    }
  }

  /**
   * At least one of two concurrent processes sees the other; a process that sees another gives up.
   * Otherwise the stale files are removed.
   */
  async #isAlone(place: Place): Promise<boolean> {
    const others = (await list(place))
      .map((generation) => pathOf(place, String(generation)))
      .filter((path) => path !== this.path);
    const listeners = await Promise.all(others.map(findListener));
    if (listeners.some((listener) => listener !== 'none')) return false;
    await Promise.all(others.map((path) => rm(path, { force: true })));
    return true;
  }
}

async function requireDead(place: Place, generations: number[], dataDir: string): Promise<void> {
  for (const generation of generations) {
    const listener = await findListener(pathOf(place, String(generation)));
    if (listener !== 'none') throw locked(dataDir, listener);
  }
}

/** Generations, oldest first. */
async function list({ directory, prefix }: Place): Promise<number[]> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(prefix));
  return names
    .map((name) => name.slice(prefix.length))
    .filter((rest) => /^\d+$/.test(rest))
    .map(Number)
    .toSorted((a, b) => a - b);
}

/**
 * The location for a directory whose path is too long for a socket, or whose file system does not
 * support sockets; the same for all paths of the same directory.
 */
async function placeOutside(dataDir: string): Promise<Place> {
  const hash = createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex');
  return { directory: tmpdir(), prefix: `parley-lock-${hash.slice(0, 16)}.` };
}

function pathOf({ directory, prefix }: Place, rest: string): string {
  return join(directory, prefix + rest);
}

function locked(dataDir: string, holder: number | 'unknown' | 'none'): AppError {
  const who = typeof holder === 'number' ? `process ${holder}` : 'another process';
  return new AppError(
    'conflict',
    'data_dir_locked',
    `The data directory ${dataDir} is in use by ${who}. Stop that process, or give this one another DATA_DIR; ` +
      'several processes share one only with DATABASE_URL and STORE=database.',
  );
}
