import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifMissing } from '../../kernel/disk/missing-path.js';
import { replaceDurably, syncDirectory } from './durable-files.js';

/** Gives `empty` if there is no such file. */
export async function readJson<T>(path: string, empty: T): Promise<T> {
  const text = await readFile(path, 'utf8').catch(ifMissing(undefined));
  return text === undefined ? empty : (JSON.parse(text) as T);
}

/** Human-readable. As `replaceDurably`, also for a new file. */
export async function replaceJson(path: string, value: unknown): Promise<void> {
  await replaceDurably(path, `${JSON.stringify(value, null, 2)}\n`);
  await syncDirectory(dirname(path));
}
