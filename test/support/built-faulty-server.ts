import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { builtServer } from './built-server.js';

const SOURCE = fileURLToPath(new URL('./faulty-server.ts', import.meta.url));

/** The file to start the built server with, with tools beside its own that it has to cope with. */
export async function builtFaultyServer(): Promise<string> {
  const source = await readFile(SOURCE, 'utf8');
  const dist = dirname(dirname(await builtServer()));
  const version = createHash('sha256').update(source).digest('hex').slice(0, 16);
  const path = join(dist, 'test/support', `faulty-server-${version}.js`);
  await mkdir(dirname(path), { recursive: true });
  const written = `${path}.${process.pid}`;
  await writeFile(written, await compile(source));
  await rename(written, path);
  return path;
}

async function compile(source: string): Promise<string> {
  const { code } = await transform(source, {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
    module: { type: 'es6' },
  });
  return code;
}
