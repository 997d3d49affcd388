import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../kernel/package-root.js';

/** A system prompt of the folder `prompts/`. */
export function readPrompt(name: string): string {
  return readFileSync(join(PACKAGE_ROOT, 'prompts', `${name}.md`), 'utf8').trim();
}
