// Runs all checks, as many at a time as there are cores, and shows the output of those that fail.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));

const cache = 'node_modules/.cache/check';

/** Slowest first. */
const CHECKS = {
  'types and lint':
    'oxlint --type-aware --type-check --deny-warnings --report-unused-disable-directives',
  'API document': 'node scripts/build-if-stale.mjs && node scripts/generate-openapi.mjs --check',
  'generated client types': 'node scripts/check-client-types.mjs',
  format: `prettier --check --log-level warn --cache --cache-location ${cache}/prettier .`,
  dependencies: 'depcruise src migrations',
  unused: 'knip',
  'event document': 'node scripts/generate-events-doc.mjs --check',
  'codes of problems':
    'node scripts/build-if-stale.mjs && node scripts/generate-problems-doc.mjs --check',
  links: 'node scripts/check-links.mjs',
  'regular expressions': 'node scripts/check-regexes.mjs',
  'lock file': 'node scripts/check-lock.mjs',
  comments: 'node scripts/check-comments.mjs',
};

const waiting = Object.entries(CHECKS);
await Promise.all(Array.from({ length: availableParallelism() }, worker));

async function worker() {
  for (let next = waiting.shift(); next; next = waiting.shift()) await check(...next);
}

async function check(name, command) {
  const begin = performance.now();
  const { code, output } = await run(command);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (code === 0) return;
  console.log(`${output.trimEnd()}\n`);
  process.exitCode = 1;
}

async function run(command) {
  const child = spawn(`${command} 2>&1`, {
    shell: true,
    cwd: root,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  return { output: await text(child.stdout), code: await closed };
}
