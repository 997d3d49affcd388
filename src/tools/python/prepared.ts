import { Interpreter } from './interpreter.js';
import { readPyodideFiles } from './pyodide-files.js';
import type { PyodideFiles } from './pyodide-files.js';

/** What interpreters start from. */
export interface Prepared {
  readonly files: PyodideFiles;
  /** The memory of an interpreter that has started; the same in every process. */
  readonly snapshot: SharedArrayBuffer;
}

/** For the interpreter that the snapshot is taken of, which runs no program. */
const MEMORY_MB = 256;

let prepared: Promise<Prepared> | undefined;

/** Takes some seconds, once in a process; again after it failed. */
export async function prepare(): Promise<Prepared> {
  prepared ??= takeSnapshot();
  try {
    return await prepared;
  } catch (error) {
    prepared = undefined;
    throw error;
  }
}

async function takeSnapshot(): Promise<Prepared> {
  const files = await readPyodideFiles();
  const first = new Interpreter({ files, memory_mb: MEMORY_MB });
  try {
    const bytes = await first.ready;
    if (!bytes) throw new TypeError('not a snapshot');
    const snapshot = new SharedArrayBuffer(bytes.length);
    new Uint8Array(snapshot).set(bytes);
    return { files, snapshot };
  } finally {
    await first.stop();
  }
}
