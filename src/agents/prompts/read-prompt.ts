import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A system prompt of the folder `prompts/`, which is beside `package.json` both in the sources and
 * in a build.
 */
export function readPrompt(name: string): string {
  return readFileSync(join(findRoot(import.meta.dirname), 'prompts', `${name}.md`), 'utf8').trim();
}

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder));
}
