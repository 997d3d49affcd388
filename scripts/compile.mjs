/**
 * `node scripts/compile.mjs <target> <folder>…`: writes folders of sources, such as `src`, as
 * JavaScript to `<target>/dist/src`, and the other files in them as they are. Types are checked
 * elsewhere.
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OPTIONS = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, verbatimModuleSyntax: true },
  },
  module: { type: 'es6' },
  swcrc: false,
};

const [target, ...folders] = process.argv.slice(2);
await Promise.all(folders.map(compileFolder));

async function compileFolder(folder) {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length));
  await Promise.all(paths.map(write));
}

async function write(path) {
  const output = join(target, 'dist', path);
  if (path.endsWith('spec.ts')) return;
  await mkdir(dirname(output), { recursive: true });
  if (!path.endsWith('.ts')) return cp(join(ROOT, path), output);
  const { code } = await transform(await readFile(join(ROOT, path), 'utf8'), OPTIONS);
  await writeFile(output.replace(/ts$/, 'js'), code);
}
