import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the built server is started with: as it is, or with tools whose effects can be counted. */
type Entry = 'dist/src/main.js' | 'chaos/server/main.mjs';

const ROOT = join(import.meta.dirname, '../..');
const CONFIGS = ['tsconfig.json', 'tsconfig.build.json', 'package.json'];

let built: Promise<string> | undefined;

/** The file to start the server with, compiled from the sources as they are. Made by whoever needs it first, and kept between runs. */
export async function builtServer(entry: Entry = 'dist/src/main.js'): Promise<string> {
  return join(await (built ??= findOrBuild()), entry);
}

async function findOrBuild(): Promise<string> {
  const folder = join(tmpdir(), `parley-test-build-${await fingerprint()}`);
  if (!existsSync(folder)) {
    const mine = await mkdtemp(`${folder}-`);
    await build(mine);
    // Of several that built one at once, the first stays.
    await rename(mine, folder).catch(() => rm(mine, { recursive: true, force: true }));
  }
  return folder;
}

/** What types there are is checked elsewhere. */
async function build(folder: string): Promise<void> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', join(folder, 'dist')];
  await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: ROOT });
  const sandbox = 'src/tools/python/sandbox';
  await cp(join(ROOT, sandbox), join(folder, 'dist', sandbox), { recursive: true });
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await cp(join(ROOT, 'prompts'), join(folder, 'prompts'), { recursive: true });
  await cp(join(ROOT, 'chaos/server'), join(folder, 'chaos/server'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(ROOT);
  const folders = await Promise.all(['src', 'migrations', 'chaos/server', 'prompts'].map(sources));
  for (const path of [...CONFIGS, ...folders.flat()])
    hash.update(path).update(await readFile(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}

async function sources(folder: string): Promise<string[]> {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  const isSource = (name: string): boolean =>
    /\.(m?[jt]s|py|md)$/.test(name) && !name.endsWith('.spec.ts');
  return names
    .filter(isSource)
    .map((name) => join(folder, name))
    .toSorted();
}
