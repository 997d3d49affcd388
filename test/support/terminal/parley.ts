import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../../src/config/load-config.js';
import { builtServer } from '../server/built-server.js';

export interface ParleyRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ParleyOptions {
  readonly env?: Environment;
  /** What comes on standard input; by default nothing, at once. */
  readonly input?: string;
}

/** Runs the built `parley`, without a terminal, to its end. */
export async function parley(args: readonly string[], options: ParleyOptions): Promise<ParleyRun> {
  const { child } = await startParley(args, options);
  child.stdin.end(options.input ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

export async function startParley(args: readonly string[], { env = {} }: ParleyOptions) {
  const program = await builtServer('dist/terminal/main.js');
  const { PATH } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return { child };
}
