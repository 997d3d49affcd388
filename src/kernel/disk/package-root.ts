import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of `package.json`, of the sources and of a build. */
export const PACKAGE_ROOT = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder));
}
