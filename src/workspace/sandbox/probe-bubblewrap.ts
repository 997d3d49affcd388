import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Bubblewrap } from './bubblewrap.js';
import type { BubblewrapOptions } from './bubblewrap.js';

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;

export type Probed =
  | { readonly works: true; readonly sandbox: Bubblewrap }
  /** The end of a sentence. */
  | { readonly works: false; readonly why: string };

/**
 * Runs a command in bubblewrap with the real options: an installed program may still be denied by
 * the kernel.
 */
export async function probeBubblewrap(
  options: Omit<BubblewrapOptions, 'disablesUserns'>,
): Promise<Probed> {
  try {
    const { stdout } = await run('bwrap', ['--help'], { timeout: TIMEOUT_MS });
    const disablesUserns = stdout.includes('--disable-userns');
    const sandbox = new Bubblewrap({ ...options, disablesUserns });
    await tryOut(sandbox);
    return { works: true, sandbox };
  } catch (error) {
    return { works: false, why: describe(error) };
  }
}

async function tryOut(sandbox: Bubblewrap): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-sandbox-')));
  try {
    const [program = '', ...args] = await sandbox.confine(['true'], folder);
    await run(program, args, { timeout: TIMEOUT_MS, cwd: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function describe(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'it is not installed';
  const { stderr = '' } = error as { stderr?: string };
  const said = stderr.trim().split('\n').at(-1) || String(error);
  return `it does not work here (${said.slice(0, 200)})`;
}
