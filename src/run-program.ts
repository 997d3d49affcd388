import { ConfigError } from './config/config-error.js';
import { messageOf } from './kernel/app-error.js';
import { keepFilesPrivate } from './kernel/disk/umask.js';

/** Wrong arguments: shown with the usage, and the program exits with 64 (EX_USAGE). */
export class UsageError extends Error {}

interface Program<C> {
  readonly usage: string;
  /** Reads the arguments. All that it throws is shown as a `UsageError`. */
  readCommand(): C;
  /** Returns the last line of the output, unless it has written it itself. */
  run(command: C): Promise<string | void>;
}

/** Runs a program to its end. If it fails, it exits with 64, with 78 (EX_CONFIG) or with 1. */
export async function runProgram<C>(program: Program<C>): Promise<void> {
  keepFilesPrivate();
  try {
    const output = await program.run(readCommand(program));
    if (typeof output === 'string') process.stdout.write(`${output}\n`);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const message = messageOf(error);
    process.stderr.write(`${isUsage ? `${message}\n${program.usage}`.trim() : message}\n`);
    process.exit(isUsage ? 64 : error instanceof ConfigError ? 78 : 1);
  }
}

function readCommand<C>(program: Program<C>): C {
  try {
    return program.readCommand();
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
