import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from './config-error.js';
import type { Environment } from './load-config.js';

/**
 * The variables of the process and of the file `.env` in the working directory. The process's own win, even when empty;
 * those of the file are not passed on to child processes.
 * @throws ConfigError if the file is there but can't be read
 */
export function readEnvironment(path = '.env'): Environment {
  return { ...readFile(path), ...process.env };
}

function readFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return {};
    throw new ConfigError([{ variable: path, problem: `can't be read (${code})` }], {
      cause: error,
    });
  }
}
