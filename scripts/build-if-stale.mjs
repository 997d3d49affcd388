// Builds when dist is missing or older than what it is made of; says nothing when it is fresh.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist/programs/main.js');
const INPUTS = [
  'src',
  'migrations',
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/bundle-programs.mjs',
  'tsconfig.build.json',
  'tsconfig.json',
];

if (isStale()) build();

function isStale() {
  if (!existsSync(built)) return true;
  const { mtimeMs } = statSync(built);
  return INPUTS.some((name) => isNewer(join(root, name), mtimeMs));
}

/** A folder counts too: its time changes when a file in it is added or removed. */
function isNewer(path, time) {
  const stat = statSync(path);
  if (stat.mtimeMs > time) return true;
  return stat.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), time));
}

function build() {
  const start = new Date();
  console.error('Building…');
  const shell = process.platform === 'win32';
  const { status } = spawnSync('npm', ['run', '-s', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell,
  });
  if (status !== 0) {
    rmSync(built, { force: true }); // a compiler writes even what is faulty; it isn't to be taken for fresh
    process.exit(status ?? 1);
  }
  utimesSync(built, start, start); // what is saved while it builds is newer
}
