import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache/parley-test');
/** A folder of an older version that was not used for as long is removed. */
const KEPT_MS = 24 * 60 * 60_000;

/** A hash of values and of the contents of files, by their paths in the repository. */
export async function fingerprintOf(
  values: readonly string[],
  paths: readonly string[],
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(values));
  const contents = await Promise.all(paths.map((path) => readFile(join(ROOT, path))));
  for (const [at, path] of paths.entries()) hash.update(path).update(contents[at]!);
  return hash.digest('hex').slice(0, 16);
}

/**
 * A folder that every worker and every run shares: the first process that needs it has `make` fill
 * it. The name of a folder ends with the fingerprint of what it is made from.
 */
export async function madeOnce(
  name: string,
  fingerprint: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(CACHE, `${name}-${fingerprint}`);
  if (!existsSync(folder)) await makeAside(folder, make);
  await utimes(folder, new Date(), new Date());
  return folder;
}

/** Of several processes that make the same folder at once, the first one's stays. */
async function makeAside(folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  await removeOld();
  const own = await mkdtemp(`${folder}-`);
  await make(own);
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }));
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    const time = await stat(path).catch(() => undefined);
    if (time && Date.now() - time.mtimeMs > KEPT_MS)
      await rm(path, { recursive: true, force: true });
  }
}

/** The files of a folder of the repository whose names match, in order. */
export async function filesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  return names
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))
    .toSorted();
}
