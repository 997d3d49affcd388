/**
 * Fills `dist`: `src`, `client`, `terminal` and `migrations` as JavaScript, and as types for
 * programs that import the server or its client; the files that spare the server work at its start;
 * `programs`, which run by themselves; and `console`, the page. `--no-types` leaves out the types,
 * which are most of the work.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readNestCli } from './nest-cli.mjs';

const { sourceRoot, entryFile } = readNestCli();
const COMMANDS = ['migrate', 'backup', 'restore', 'move', 'keys', 'models', 'replay'];
const PROGRAMS = [
  ...[entryFile, ...COMMANDS].map((name) => `dist/${sourceRoot}/${name}.js`),
  'dist/terminal/main.js',
];
const TSC = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];

const { values: options } = parseArgs({
  options: {
    'no-types': { type: 'boolean', default: false },
    /** How many steps the caller counts, with its own after these two. */
    steps: { type: 'string', default: '2' },
  },
});
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
const types = options['no-types'] ? undefined : run(...TSC, '--emitDeclarationOnly');
say(1, 'Compiling, about 2 s');
const page = run('node_modules/vite/bin/vite.js', 'build', 'web', '--logLevel', 'error');
await run('scripts/compile.mjs', '.', sourceRoot, 'client', 'terminal', 'migrations');
say(2, `Preparing the database, Python and programs, about ${types ? 25 : 10} s`);
await Promise.all([
  run(`dist/${sourceRoot}/storage/typeorm/connection/make-template.js`),
  run(`dist/${sourceRoot}/tools/python/make-digest.js`),
  run('scripts/bundle-programs.mjs', '.', ...PROGRAMS),
  types,
  page,
]);

function say(step, text) {
  process.stderr.write(`(${step}/${options.steps}) ${text}\n`);
}

async function run(...args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exit(code ?? 1);
}
