import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../../../src/config/load-config.js';
import { builtServer } from './built-server.js';

const run = promisify(execFile);

/** The compiled command. */
export async function keysCommand(): Promise<string> {
  return builtServer('dist/src/keys.js');
}

/** Runs `npm run keys -- …`; `code` is its exit code. */
export async function keys(
  env: Environment,
  ...args: string[]
): Promise<{ code: number; said: string }> {
  const options = { env: { PATH: process.env['PATH'], ...env } };
  try {
    const { stdout } = await run(process.execPath, [await keysCommand(), ...args], options);
    return { code: 0, said: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, said: stderr };
  }
}
