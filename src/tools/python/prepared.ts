import { createHash, webcrypto } from 'node:crypto';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import { toErrorText } from '../core/to-text.js';
import { Interpreter } from './interpreter.js';
import { readPyodideFiles } from './pyodide-files.js';
import type { PyodideFiles } from './pyodide-files.js';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';

/** The data from which interpreters start. */
export interface Prepared {
  readonly files: PyodideFiles;
  /** Memory snapshot of a started interpreter; the same in every process. */
  readonly snapshot: SharedArrayBuffer;
}

/** Memory of the interpreter from which the snapshot is taken; it runs no program. */
const MEMORY_MB = 256;

/**
 * The digest of the snapshot file, made by `npm run build`. The file is in DATA_DIR, where commands
 * without a sandbox can write; this one belongs to the program. It does not exist when running from
 * the sources.
 */
export const BUILT_DIGEST = fileURLToPath(
  new URL('../../../python-snapshot.sha256', import.meta.url),
);

const prepared = new Map<string, Promise<Prepared>>();

/**
 * Takes some seconds, once in a process, and again after a failure. The file
 * `<folder>/python-snapshot` caches the snapshot and saves the next process most of that time.
 */
export async function prepare(folder: string): Promise<Prepared> {
  const preparing = prepared.get(folder) ?? readOrTake(folder);
  prepared.set(folder, preparing);
  try {
    return await preparing;
  } catch (error) {
    prepared.delete(folder);
    throw error;
  }
}

async function readOrTake(folder: string): Promise<Prepared> {
  const files = await readPyodideFiles();
  const trusted = await readFile(BUILT_DIGEST).catch(() => undefined);
  const file = new SnapshotFile(join(folder, 'python-snapshot'), keyOf(files), trusted);
  const bytes = (await file.read()) ?? (await takeSnapshot(files, file));
  const snapshot = new SharedArrayBuffer(bytes.length);
  new Uint8Array(snapshot).set(bytes);
  return { files, snapshot };
}

/** Cache key of the snapshot: all its inputs. `lock` contains Pyodide's version. */
function keyOf({ sources, lock }: PyodideFiles): string {
  const hash = createHash('sha256').update(JSON.stringify(sources));
  return [lock, hash.digest('hex'), process.version, process.arch].join('\n');
}

async function takeSnapshot(files: PyodideFiles, file: SnapshotFile): Promise<Uint8Array> {
  const first = new Interpreter({ files, memory_mb: MEMORY_MB });
  try {
    const bytes = await first.ready;
    if (!bytes) throw new TypeError('not a snapshot');
    await file.write(bytes).catch((error: unknown) => tellUnkept(file, error));
    return bytes;
  } finally {
    await first.stop();
  }
}

function tellUnkept({ path }: SnapshotFile, error: unknown): void {
  const why = toErrorText(error);
  new Logger('Python').warn(
    `${path} can't be written: the first program of each start takes some seconds longer. ${why}`,
  );
}

export const DIGEST_BYTES = 32;

/**
 * The snapshot file: the SHA-256 digest of the rest, the digest of its key, and its bytes. There is
 * one file; a new snapshot replaces it.
 */
export class SnapshotFile {
  /** `key`: all inputs of the snapshot. */
  constructor(
    readonly path: string,
    private readonly key: string,
    /** The only digest to accept; without one, the file's own. */
    private readonly trusted?: Buffer,
  ) {}

  /** undefined if there is no intact snapshot with this key. */
  async read(): Promise<Uint8Array | undefined> {
    const content = await readFile(this.path).catch(() => Buffer.alloc(0));
    const told = content.subarray(0, DIGEST_BYTES);
    const rest = content.subarray(DIGEST_BYTES);
    const keyDigest = await digest(Buffer.from(this.key));
    if (!keyDigest.equals(rest.subarray(0, DIGEST_BYTES))) return undefined;
    const isGenuine = (this.trusted ?? told).equals(await digest(rest));
    return isGenuine ? rest.subarray(DIGEST_BYTES) : undefined;
  }

  /**
   * A concurrent reader, or one after a crash, finds the old or the new snapshot, or detects that
   * the file is corrupt.
   */
  async write(bytes: Uint8Array): Promise<void> {
    const rest = Buffer.concat([await digest(Buffer.from(this.key)), bytes]);
    const temporary = `${this.path}.tmp`;
    await mkdir(dirname(this.path), { recursive: true });
    await writeFile(temporary, [await digest(rest), rest], { mode: 0o600 });
    await rename(temporary, this.path);
  }
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<Buffer> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes));
}
