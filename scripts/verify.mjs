/**
 * npm run verify [-- PART…]: what the gate `.ci/run` leaves out, one part after the other, each
 * with a log of its own; without names all parts. A part that has passed on this tree, in any
 * checkout of this repository, is not run again. `--list` prints the parts.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endProcessesOf, isVerify, MARK } from './verify/leftovers.mjs';
import { PARTS } from './verify/parts.mjs';

/** How a log says that something failed. */
const RED = /●|^FAIL|violation|Error:/;
const MAX_RED = 120;

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
});
const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) end(2, `No such part: ${unknown.join(', ')}. See npm run verify -- --list`);
if (options.list) end(0, PARTS.map(describe).join('\n'));

let stopped;
const folder = join(git(['rev-parse', '--path-format=absolute', '--git-common-dir']), 'verify');
mkdirSync(folder, { recursive: true });
await beOnlyRun(join(folder, 'running'));

const tree = treeOfCheckout();
const passedFile = join(folder, `${tree}.passed`);
print(`Tree ${tree}, logs in ${folder}`);
const rows = [];
for (const part of PARTS.filter(({ name }) => names.length === 0 || names.includes(name)))
  rows.push(await verify(part));
end(rows.every(({ code }) => code === 0) ? 0 : 1, rows.map(toLine).join('\n'));

function describe({ name, cpu_s, what }) {
  return `${name.padEnd(15)}${String(cpu_s).padStart(5)} CPU-seconds  ${what}`;
}

/** Also ends what a killed run has left. */
async function beOnlyRun(path) {
  const other = Number(textOf(path));
  if (other && isVerify(other)) end(2, `npm run verify is running already: process ${other}.`);
  if (other) await endProcessesOf(other);
  writeFileSync(path, String(process.pid));
  process.env[MARK] = String(process.pid);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      stopped ??= endProcessesOf(process.pid).then(() => end(1, 'Stopped.'));
    });
}

async function verify(part) {
  const { name } = part;
  if (textOf(passedFile).split('\n').includes(name))
    return { name, code: 0, result: 'passed before' };
  print(`== ${name}`);
  const start = performance.now();
  const log = join(folder, `${name}.log`);
  const code = await run(part, openSync(log, 'w'));
  if (code === 0) appendFileSync(passedFile, `${name}\n`);
  return { name, code, result: code === 0 ? 'passed' : 'FAILED', s: secondsSince(start), log };
}

/** @returns the exit code of the first command that fails, or the signal that ended it */
async function run({ services, commands }, log) {
  const build = ['node', 'scripts/build-if-stale.mjs'];
  for (const command of [build, ...commands]) {
    const args = ['scripts/with-services.sh', ...services, '--', ...command];
    const child = spawn('bash', args, { stdio: ['ignore', log, log] });
    const [code, signal] = await once(child, 'exit');
    await stopped;
    if (code !== 0) return code ?? signal;
  }
  return 0;
}

function toLine({ name, result, s, log }) {
  const line = `${name.padEnd(15)}${result.padEnd(14)}${s === undefined ? '' : `${s} s`}`;
  const red =
    result === 'FAILED' &&
    textOf(log)
      .split('\n')
      .find((each) => RED.test(each));
  return red ? `${line}\n  ${red.trim().slice(0, MAX_RED)}\n  ${log}` : line;
}

/** Of a commit of everything that is here. */
function treeOfCheckout() {
  const index = join(tmpdir(), `parley-verify-${process.pid}`);
  const env = { ...process.env, GIT_INDEX_FILE: index };
  git(['read-tree', 'HEAD'], env);
  git(['add', '--all'], env);
  const id = git(['write-tree'], env);
  rmSync(index);
  return id;
}

function git(args, env = process.env) {
  return execFileSync('git', args, { encoding: 'utf8', env }).trim();
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function secondsSince(start) {
  return Math.round((performance.now() - start) / 1000);
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

function end(code, text) {
  print(text);
  process.exit(code);
}
