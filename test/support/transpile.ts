import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transformFile } from '@swc/core';

const SOURCE = join(import.meta.dirname, '../../src');

/** Writes modules of `src` (`kernel/app-error`) as JavaScript to `<directory>/src`, for child processes that a test means to kill. */
export async function transpile(modules: readonly string[], directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  for (const module of modules) {
    const { code } = await transformFile(join(SOURCE, `${module}.ts`), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'es6' },
    });
    const path = join(directory, 'src', `${module}.js`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
  }
}
