import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { filesIn, fingerprintOf, madeOnce, ROOT } from '../server/made-once.js';

const BUNDLER = 'node_modules/rolldown/bin/cli.mjs';
const OPTIONS = ['client/index.ts', '--minify', '--format', 'esm', '--platform', 'browser'];
const run = promisify(execFile);

/** The file with `parley/client` as one minified module, for pages and workers. */
export async function bundledClient(): Promise<string> {
  const fingerprint = await fingerprintOf(OPTIONS, await filesIn('client', /\.ts$/));
  const folder = await madeOnce('client', fingerprint, async (target) => {
    const file = ['--file', join(target, 'client.mjs')];
    await run(process.execPath, [BUNDLER, ...OPTIONS, ...file], { cwd: ROOT });
  });
  return join(folder, 'client.mjs');
}
