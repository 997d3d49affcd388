import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import { ConfigError } from '../../config/config-error.js';
import type { Config } from '../../config/config.js';
import { commonPart } from '../../config/tenant-paths.js';
import { AppError } from '../../kernel/app-error.js';
import { countThreads } from '../processes/count-threads.js';
import { Bubblewrap } from './bubblewrap.js';
import type { BubblewrapOptions } from './bubblewrap.js';
import { Sandbox } from './sandbox.js';
import { MAX_PROCESSES, withLimits } from './with-limits.js';
import { cutText } from '../../kernel/text/cut-text.js';

type SandboxSettings = Pick<
  Config,
  'auth' | 'sandbox' | 'sandboxNetwork' | 'ownPaths' | 'workspaceDir' | 'workspaceRoots'
>;

/**
 * Opens the sandbox that `SANDBOX` selects, and logs which one it is. A server that knows its users
 * runs commands without one only if `SANDBOX=none` says so.
 * @throws ConfigError if it selects bubblewrap and bubblewrap doesn't work here
 */
export async function openSandbox(
  settings: SandboxSettings,
  probe = probeBubblewrap,
): Promise<Sandbox> {
  const logger = new Logger('Sandbox');
  if (settings.sandbox === 'none') return unconfined(logger, 'SANDBOX=none says so');
  const { sandboxNetwork: network, ownPaths, workspaceDir, workspaceRoots } = settings;
  const hidden = [...ownPaths, workspaceDir, ...workspaceRoots.map(commonPart)];
  const probed = await probe({ network, hidden });
  if (!probed.works && settings.sandbox === 'bwrap') throw refusal(probed.why);
  if (!probed.works && !settings.auth.includes('none')) return missing(logger, probed.why);
  if (!probed.works) return unconfined(logger, probed.why);
  logger.log(`Commands run in ${probed.sandbox.description}`);
  return probed.sandbox;
}

function unconfined(logger: Logger, why: string): Sandbox {
  logger.warn(`Commands run without a sandbox, with all rights of the server: ${why}`);
  return new NoSandbox();
}

function missing(logger: Logger, why: string): Sandbox {
  logger.warn(`Commands fail, because there is no sandbox and AUTH asks for one: ${why}`);
  return new MissingSandbox(why);
}

function refusal(why: string): ConfigError {
  const problem = `"bwrap" can't be used: ${why}. Install it (apt-get install bubblewrap) and let this user make user namespaces; or take SANDBOX=none, and commands run with all rights of the server`;
  return new ConfigError([{ variable: 'SANDBOX', problem }]);
}

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;

type Probed =
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
    return { works: false, why: describeFault(error) };
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

function describeFault(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'bubblewrap is not installed';
  const { stderr = '' } = error as { stderr?: string };
  const said = stderr.trim().split('\n').at(-1) || String(error);
  return `bubblewrap does not work here (${cutText(said, 200)})`;
}

/** Commands run unconfined, with the server's privileges. */
export class NoSandbox extends Sandbox {
  readonly kind = 'none';
  readonly description = 'no sandbox: with all rights of the server';
  readonly wrappers = 0;

  /** The limit includes the processes that the server's user already runs. */
  async confine(command: readonly string[]): Promise<string[]> {
    const running = await countThreads();
    return running === 0 ? [...command] : withLimits(command, running + MAX_PROCESSES);
  }
}

/**
 * For a server with users of its own on a host without a sandbox: no command runs, since it could
 * read the data of all users and act in their names.
 */
class MissingSandbox extends Sandbox {
  readonly kind = 'missing';
  readonly description: string;
  readonly wrappers = 0;

  /** @param why the end of a sentence */
  constructor(private readonly why: string) {
    super();
    this.description = `no sandbox, so no command runs: ${why}`;
  }

  confine(): Promise<string[]> {
    return Promise.reject(
      new AppError(
        'unavailable',
        'sandbox_missing',
        `Commands run only in a sandbox on a server with users, and there is none: ${this.why}. Its operator can install bubblewrap, or set SANDBOX=none to run them with all rights of the server. Do without commands.`,
      ),
    );
  }
}
