import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config/config-error.js';
import { decodeText } from '../../kernel/text/decode-text.js';
import { PACKAGE_ROOT } from '../../kernel/disk/package-root.js';

/** A system prompt of the folder `prompts/`. */
export function readPrompt(name: string): string {
  return readFileSync(join(PACKAGE_ROOT, 'prompts', `${name}.md`), 'utf8').trim();
}

/**
 * The text that replaces it, if there is a file of it.
 * @throws ConfigError if the file can't be read
 */
export function readOwnPrompt(name: string, file: string | undefined): string {
  if (file === undefined) return readPrompt(name);
  try {
    return decodeText(readFileSync(file)).trim();
  } catch (error) {
    const problem = `can't be read: ${(error as Error).message}`;
    throw new ConfigError([{ variable: 'SYSTEM_PROMPT_FILE', problem }]);
  }
}
