import { createHash, webcrypto } from 'node:crypto';
import { join, dirname } from 'node:path';
import { Logger } from '@nestjs/common';
import { toErrorText } from '../to-text.js';
import { Interpreter } from './interpreter.js';
import { readPyodideFiles } from './pyodide-files.js';
import type { PyodideFiles } from './pyodide-files.js';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';

/** What interpreters start from. */
export interface Prepared {
  readonly files: PyodideFiles;
  /** The memory of an interpreter that has started; the same in every process. */
  readonly snapshot: SharedArrayBuffer;
}

/** For the interpreter that the snapshot is taken of, which runs no program. */
const MEMORY_MB = 256;

const prepared = new Map<string, Promise<Prepared>>();

/**
 * Takes some seconds, once in a process; again after it failed. `<folder>/python-snapshot` keeps the snapshot, and spares the next process
 * most of that.
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
  const file = new SnapshotFile(join(folder, 'python-snapshot'), keyOf(files));
  const bytes = (await file.read()) ?? (await takeSnapshot(files, file));
  const snapshot = new SharedArrayBuffer(bytes.length);
  new Uint8Array(snapshot).set(bytes);
  return { files, snapshot };
}

/** All that the snapshot depends on: Pyodide's version is in `lock`. */
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

const DIGEST_BYTES = 32;

/** A snapshot on the disk: the SHA-256 digest of all that follows, that of its key, and its bytes. There is one; a new one takes its place. */
export class SnapshotFile {
  /** `key`: what the snapshot was made from. */
  constructor(
    readonly path: string,
    private readonly key: string,
  ) {}

  /** Undefined when there is none that is whole and of this key. */
  async read(): Promise<Uint8Array | undefined> {
    const content = await readFile(this.path).catch(() => Buffer.alloc(0));
    const told = content.subarray(0, DIGEST_BYTES);
    const rest = content.subarray(DIGEST_BYTES);
    const keyDigest = await digest(Buffer.from(this.key));
    if (!keyDigest.equals(rest.subarray(0, DIGEST_BYTES))) return undefined;
    return told.equals(await digest(rest)) ? rest.subarray(DIGEST_BYTES) : undefined;
  }

  /** Whoever reads meanwhile, or after a crash, finds the old or the new one, or notices that it is neither. */
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
