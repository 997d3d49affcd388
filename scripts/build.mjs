/**
 * Fills `dist`: `src` and `migrations` as the compiler makes them, for programs that import the
 * server; the files that spare the server work at its start; and `programs`, which run by
 * themselves.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAMS = ['main', 'migrate', 'backup', 'restore', 'move', 'keys', 'models', 'replay'].map(
  (name) => `dist/src/${name}.js`,
);

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
await run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
// JavaScript that runs in threads of its own
cpSync('src', 'dist/src', { recursive: true, filter: (path) => !path.endsWith('.ts') });
await Promise.all([
  run('dist/src/storage/typeorm/connection/make-template.js'),
  run('dist/src/tools/python/make-digest.js'),
  run('scripts/bundle-programs.mjs', '.', ...PROGRAMS),
]);

async function run(...args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exit(code ?? 1);
}
