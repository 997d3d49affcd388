/**
 * Runs Jest with the arguments of this program. Of a run of several files, up to three that failed
 * run once more when all others are done, one after the other: a file that fails again is red, one
 * that passes is unsteady. With more failed files the run is red at once. The end names the files
 * that took most CPU-seconds, what failed and what was unsteady, and counts the tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const MAX_UNSTEADY = 3;
const MAX_EXPENSIVE = 20;
const MAX_MESSAGE = 600;

const scratch = await mkdtemp(join(tmpdir(), 'parley-tests-'));
try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** @returns the exit code */
async function main(args) {
  const { code, files } = await jest('first', args);
  if (!files) return code; // such as for --listTests or a faulty option
  const failed = files.filter((file) => file.failures.length > 0);
  const runsAgain =
    failed.length > 0 && failed.length <= MAX_UNSTEADY && failed.length < files.length;
  const second = runsAgain ? await jest('second', again(args, files, failed)) : undefined;
  await reportCosts();
  const failures = report(files, second?.files ?? []);
  const failedWithoutFile = code !== 0 && failed.length === 0; // such as an unhandled rejection
  return failures > 0 || failedWithoutFile ? 1 : 0;
}

/** With the options of the first run; patterns of paths are no paths, and choose nothing. */
function again(args, files, failed) {
  const others = args.filter((arg) => !files.some((file) => file.path === relative('', arg)));
  return [...others, '--runInBand', '--runTestsByPath', ...failed.map((file) => file.path)];
}

async function jest(name, args) {
  const output = join(scratch, `${name}.json`);
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--json',
      `--outputFile=${output}`,
      ...args,
    ],
    { stdio: 'inherit', env: { ...process.env, TEST_COSTS: scratch } },
  );
  const [code] = await once(child, 'exit');
  return { code: code ?? 1, files: await readFiles(output) };
}

/** The spec files of a run; undefined if it came to none. */
async function readFiles(path) {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text && JSON.parse(text).testResults?.map(toFile);
}

function toFile({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  const failures = failed.map((test) => `${test.fullName}: ${test.failureMessages.join(' ')}`);
  return {
    path: relative('', name),
    passed: assertionResults.filter((test) => test.status === 'passed').length,
    // A file that can't be loaded has no tests.
    failures: status === 'failed' && failures.length === 0 ? [message] : failures,
  };
}

/** From the lines that `test/spec.environment.mjs` has written. */
async function reportCosts() {
  const names = (await readdir(scratch)).filter((name) => name.endsWith('.costs'));
  const texts = await Promise.all(names.map((name) => readFile(join(scratch, name), 'utf8')));
  const costs = texts.flatMap((text) => text.trim().split('\n').map(JSON.parse));
  const total = costs.reduce((sum, { cpu_s }) => sum + cpu_s, 0);
  print(`\nCPU-seconds: ${Math.round(total)}, of which`);
  for (const { path, cpu_s } of costs.sort((a, b) => b.cpu_s - a.cpu_s).slice(0, MAX_EXPENSIVE))
    print(`${cpu_s.toFixed(1).padStart(7)}  ${relative('', path)}`);
}

/** @returns how many tests failed that did not pass in a second run of their file */
function report(first, second) {
  const secondOf = new Map(second.map((file) => [file.path, file]));
  for (const { path, failures } of first) {
    if (failures.length === 0) continue;
    const isUnsteady = secondOf.get(path)?.failures.length === 0;
    print(`${isUnsteady ? 'UNSTEADY' : 'FAIL'} ${path}`);
    for (const failure of failures) print(`  ${withoutStack(failure).slice(0, MAX_MESSAGE)}`);
  }
  const last = first.map((file) => secondOf.get(file.path) ?? file);
  const passed = last.reduce((sum, file) => sum + file.passed, 0);
  const failed = last.reduce((sum, file) => sum + file.failures.length, 0);
  print(`${passed} passed, ${failed} failed`);
  return failed;
}

function withoutStack(failure) {
  return failure.split(/\n\s+at /)[0];
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
