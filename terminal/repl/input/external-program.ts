import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../environment.js';

/** The exit code of a shell whose command was ended by Ctrl-C. */
const INTERRUPTED = 130;
const ignore = (): void => {};

/**
 * The text as a person leaves it in their editor or pager, in a file that others can't read. Its
 * command may have arguments. One that Ctrl-C has ended leaves the text as it was.
 * @throws Error if the program can't be started, or fails
 */
export async function openIn(
  program: 'editor' | 'pager',
  { [program]: command, variables }: Environment,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  const path = join(folder, name);
  try {
    await writeFile(path, text, { mode: 0o600 });
    // Ctrl-C is for the program, but a terminal that is not in raw mode sends it to both.
    process.on('SIGINT', ignore);
    const child = spawn(`${command} "$PARLEY_FILE"`, {
      shell: true,
      stdio: 'inherit',
      env: { ...variables, PARLEY_FILE: path },
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code === INTERRUPTED || signal === 'SIGINT') return text;
    if (code !== 0)
      throw new Error(
        `${command} ended with ${code}. Set ${program.toUpperCase()} to another one.`,
      );
    return await readFile(path, 'utf8');
  } finally {
    process.off('SIGINT', ignore);
    await rm(folder, { recursive: true, force: true });
  }
}
