/**
 * `npm run dev`: serves `dist/src`, compiles sources as they are saved, and starts the server anew
 * with the data that it has. A source that does not compile is shown, and the server goes on.
 * Beside it, Vite serves `web/` with hot reload, and leads all else to the server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { readNestCli } from './nest-cli.mjs';

/** Editors and version control save several files at once. */
const SETTLE_MS = 50;
/** Interactions that run go on in the next server, so that a restart need not wait for them. */
const SHUTDOWN_GRACE_MS = '500';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { sourceRoot, entryFile } = readNestCli();
// Taken before Vite adds to it.
const env = { SHUTDOWN_GRACE_MS, ...process.env };
const changed = new Set();
let settled;
let isApplying = false;
let isStopping = false;
let server = serve();
const page = await createServer({ root: 'web', logLevel: 'warn', clearScreen: false });
await page.listen();
say(`The console, with hot reload: ${page.resolvedUrls.local[0]}`);

watch(sourceRoot, { recursive: true }, (_event, name) => {
  if (!name || name.endsWith('.spec.ts') || !/\.\w+$/.test(name)) return;
  changed.add(join(sourceRoot, name));
  clearTimeout(settled);
  settled = setTimeout(() => void applyChanges(), SETTLE_MS);
});
// A terminal sends SIGINT to the server as well, and a second signal would cut its shutdown short.
process.on('SIGINT', () => void stop()).on('SIGTERM', () => void stop('SIGTERM'));

async function applyChanges() {
  if (isApplying || isStopping) return;
  isApplying = true;
  while (changed.size > 0) await restartWith(takeChanges());
  isApplying = false;
}

function takeChanges() {
  const paths = [...changed];
  changed.clear();
  return paths;
}

async function restartWith(paths) {
  for (const path of paths) if (!existsSync(path)) rmSync(outputOf(path), { force: true });
  if (!(await compile(paths.filter(existsSync)))) return say('Not restarted: see above.');
  say(`Restarting: ${paths.join(', ')}`);
  await end(server);
  if (!isStopping) server = serve();
}

async function compile(paths) {
  if (paths.length === 0) return true;
  const [code] = await once(run('scripts/compile.mjs', '.', ...paths), 'exit');
  return code === 0;
}

function serve() {
  const started = run(`dist/${sourceRoot}/${entryFile}.js`);
  started.on('exit', (code) => {
    if (code) say('The server has ended. It starts again when a source is saved.');
  });
  return started;
}

function run(...args) {
  return spawn(process.execPath, args, { stdio: 'inherit', env });
}

async function stop(signal) {
  isStopping = true;
  await end(server, signal ?? null);
  process.exit(0);
}

/** Waits until the process has ended; `null` sends no signal. */
async function end(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (signal) child.kill(signal);
  await exited;
}

function outputOf(path) {
  return join('dist', path.replace(/ts$/, 'js'));
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
