/**
 * Builds when dist is missing or older than what it is made of; says nothing when it is fresh.
 * `--only-src`: compiles `src`, which takes a second, and leaves the programs for the next build.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist/programs/main.js');
const INPUTS = [
  'src',
  'client',
  'terminal',
  'migrations',
  'nest-cli.json',
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/bundle-programs.mjs',
  'scripts/compile.mjs',
  'scripts/nest-cli.mjs',
  'tsconfig.build.json',
  'tsconfig.json',
  'web',
];
/** Written by builds themselves. */
const NO_INPUT = 'node_modules';

const make = process.argv.includes('--only-src') ? compileSrc : build;
if (isStale()) make();

function isStale() {
  if (!existsSync(built)) return true;
  const { mtimeMs } = statSync(built);
  return INPUTS.some((name) => isNewer(join(root, name), mtimeMs));
}

/** A folder counts too: its time changes when a file in it is added or removed. */
function isNewer(path, time) {
  const stat = statSync(path);
  if (stat.mtimeMs > time) return true;
  if (!stat.isDirectory()) return false;
  const names = readdirSync(path).filter((name) => name !== NO_INPUT);
  return names.some((name) => isNewer(join(path, name), time));
}

function compileSrc() {
  const args = [join(root, 'scripts/compile.mjs'), root, 'src'];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Types are for other packages: they are kept up to date where `npm run build` has made them. */
function build() {
  const start = new Date();
  const types = existsSync(join(root, 'dist/src/bootstrap.d.ts')) ? [] : ['--no-types'];
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'scripts/build.mjs'), '--steps', '3', ...types],
    { stdio: 'inherit' },
  );
  if (status !== 0) {
    rmSync(built, { force: true }); // what a failed build leaves isn't to be taken for fresh
    process.exit(status ?? 1);
  }
  utimesSync(built, start, start); // what is saved while it builds is newer
  process.stderr.write('(3/3) Starting, about 3 s\n');
}
