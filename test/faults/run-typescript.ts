import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/** The parts of the repository that a worker of the file store needs. */
const SOURCES = [
  'src/kernel',
  'src/log',
  'src/protocol',
  'src/storage/file',
  'test/contracts/interaction-store',
  'test/faults',
];

/** Compiles `SOURCES` into `folder`, so that a plain `node` can run them. */
export async function compileInto(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(resolve('node_modules'), join(folder, 'node_modules'), 'dir');
  for (const source of SOURCES) {
    for (const name of await readdir(source)) {
      if (name.endsWith('.ts') && !name.endsWith('spec.ts'))
        await compile(join(source, name), folder);
    }
  }
}

/** Runs what `script` became in `folder`. */
export function runCompiled(
  folder: string,
  script: URL,
  args: readonly string[],
): ChildProcessByStdio<null, Readable, null> {
  const path = join(folder, relative('.', fileURLToPath(script))).replace(/\.ts$/, '.js');
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function compile(path: string, folder: string): Promise<void> {
  const { code } = await transform(await readFile(path, 'utf8'), {
    filename: path,
    jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
    module: { type: 'es6' },
  });
  const target = join(folder, path.replace(/\.ts$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}
