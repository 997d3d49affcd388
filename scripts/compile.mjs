/**
 * `node scripts/compile.mjs <target> <path>…`: writes sources, files or folders such as `src`, as
 * JavaScript to `<target>/dist/…`, and what `nest-cli.json` calls assets as they are. Types are
 * checked elsewhere. Exits with 1 and the compiler's message when a source can't be read.
 */
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { readNestCli } from './nest-cli.mjs';

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

const { assets } = readNestCli();
const [target, ...paths] = process.argv.slice(2);
try {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  await Promise.all(files.map(write));
} catch (error) {
  console.error(error.message.split('Caused by:')[0].trim());
  process.exit(1);
}

/** The path of a file, or of every file in a folder, from the root. */
async function filesOf(path) {
  if ((await stat(join(ROOT, path))).isFile()) return [path];
  const entries = await readdir(join(ROOT, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)));
}

async function write(path) {
  const isSource = path.endsWith('.ts') && !path.endsWith('spec.ts');
  if (!isSource && !assets.some((ending) => path.endsWith(ending))) return;
  const output = join(target, 'dist', path);
  await mkdir(dirname(output), { recursive: true });
  if (!isSource) return cp(join(ROOT, path), output);
  const filename = join(ROOT, path);
  const { code } = await transform(await readFile(filename, 'utf8'), { ...OPTIONS, filename });
  await writeFile(output.replace(/ts$/, 'js'), code);
}
