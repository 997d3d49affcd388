import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { transform } from '@swc/core';
import { builtServer } from './built-server.js';

/** The file to start the built server with, with tools beside its own that it has to cope with. */
export function builtFaultyServer(): Promise<string> {
  return builtWith(new URL('./faulty-server.ts', import.meta.url));
}

/** The same with what tells of its hooks, resources and guardrails. */
export function builtWitnessServer(): Promise<string> {
  return builtWith(new URL('./witness-server.ts', import.meta.url));
}

async function builtWith(url: URL): Promise<string> {
  const source = await readFile(url, 'utf8');
  const dist = dirname(dirname(await builtServer()));
  const version = createHash('sha256').update(source).digest('hex').slice(0, 16);
  const path = join(dist, 'test/support', `${basename(url.pathname, '.ts')}-${version}.js`);
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
