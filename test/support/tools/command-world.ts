import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/load-config.js';
import { CommandRunner } from '../../../src/workspace/command-runner.js';
import type { CommandEnd } from '../../../src/workspace/command-runner.js';
import type { ProcessTrace } from '../../../src/workspace/processes/process-trace.js';
import type { SandboxUnderTest } from './sandboxes.js';

export interface Ran extends CommandEnd {
  readonly output: string;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onOutput?: (output: string) => void;
  readonly beforeStart?: (trace: ProcessTrace | undefined) => Promise<void>;
}

/**
 * A workspace beside other chats' folders and the server's data, and a sandbox that stands between
 * them.
 */
export class CommandWorld {
  private constructor(
    readonly base: string,
    private readonly runner: CommandRunner,
  ) {}

  static async open(sandbox: SandboxUnderTest): Promise<CommandWorld> {
    const base = await realpath(await mkdtemp(join(await makeFolder(), 'commands-')));
    for (const name of ['work/mine', 'work/theirs', 'data', 'home'])
      await mkdir(join(base, name), { recursive: true });
    for (const name of ['work/theirs/secret', 'data/secret', 'secret'])
      await writeFile(join(base, name), 'a secret');
    const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'sk-a-secret' };
    const opened = await sandbox.open([join(base, 'work'), join(base, 'data')]);
    return new CommandWorld(base, new CommandRunner(opened, loadConfig(env)));
  }

  get workspace(): string {
    return join(this.base, 'work/mine');
  }

  async run(script: string, options: RunOptions = {}): Promise<Ran> {
    let output = '';
    const end = await this.runner.run(['bash', '-c', script], {
      cwd: this.workspace,
      signal: options.signal ?? new AbortController().signal,
      onOutput: (chunk) => {
        output += chunk.toString();
        options.onOutput?.(output);
      },
      beforeStart: options.beforeStart ?? (() => Promise.resolve()),
    });
    return { ...end, output };
  }

  /** Runs it until it has printed something, then stops it. */
  async stopAfter(script: string, printed: string): Promise<Ran> {
    const stop = new AbortController();
    const onOutput = (output: string) => output.includes(printed) && stop.abort();
    return this.run(script, { signal: stop.signal, onOutput });
  }

  async close(): Promise<void> {
    await this.runner.onModuleDestroy();
    await rm(this.base, { recursive: true, force: true });
  }
}

/** Not where temporary files are: those are hidden from commands anyhow. */
async function makeFolder(): Promise<string> {
  const folder = join(import.meta.dirname, '../../../node_modules/.cache/parley');
  await mkdir(folder, { recursive: true });
  return folder;
}
