import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { toErrorText } from '../to-text.js';
import { Interpreter } from './interpreter.js';
import { readPyodideFiles } from './pyodide-files.js';
import type { PyodideFiles } from './pyodide-files.js';
import { SnapshotFile } from './snapshot-file.js';

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
