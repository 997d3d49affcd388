import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '../config/config-error.js';
import type { Config } from '../config/config.js';
import { readConfig } from '../config/config.module.js';
import { messageOf } from '../kernel/app-error.js';
import { PACKAGE_ROOT } from '../kernel/disk/package-root.js';
import { keepFilesPrivate } from '../kernel/disk/umask.js';

export const VERSION = (
  JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }
).version;

class UsageError extends Error {}

/**
 * Runs a program to its end, and sets its exit code.
 * @param prepare reads the arguments, and returns the work, which returns what to say
 */
export async function runProgram(
  usage: string,
  prepare: (config: () => Promise<Config>) => () => Promise<string>,
): Promise<void> {
  keepFilesPrivate();
  try {
    process.stdout.write(`${await prepare(() => readConfig())()}\n`);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`${messageOf(error)}\n${isUsage ? `${usage}\n` : ''}`);
    process.exitCode = isUsage ? 64 : error instanceof ConfigError ? 78 : 1;
  }
}

/** The value of `--to`, a `postgres://` URL. */
export function readTarget(): string {
  try {
    const { values } = parseArgs({ options: { to: { type: 'string' } } });
    if (!/^postgres(ql)?:\/\//.test(values.to ?? ''))
      throw new Error('--to has to name a database: postgres://…');
    return values.to!;
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/** Reads one path, and flags without values, from the command line. */
export function readArguments(...names: readonly string[]): {
  readonly path: string;
  readonly flags: ReadonlySet<string>;
} {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const]));
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0) throw new Error('Name one file.');
    return { path, flags: new Set(Object.keys(values)) };
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
