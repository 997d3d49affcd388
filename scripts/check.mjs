/**
 * Runs all checks, as many at a time as there are cores, and shows the output of those that fail.
 * `--changed`: before a commit, those that take seconds, for what differs from the last one and
 * for the sources that import it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { basename, delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));

const CACHES = 'node_modules/.cache/check';

/** Without collections until 4 GiB the linter takes a quarter less: most memory stays in use. */
const GO = { GOGC: 'off', GOMEMLIMIT: '4GiB' };
const LINT = 'oxlint --type-aware --type-check --deny-warnings --report-unused-disable-directives';
const QUICK = {
  'regular expressions': 'node scripts/check-regexes.mjs',
  'event document': 'node scripts/generate-events-doc.mjs --check',
  'layers document': 'node scripts/generate-layers-doc.mjs --check',
  'metrics document': 'node scripts/generate-metrics-doc.mjs --check',
  links: 'node scripts/check-links.mjs',
  'valid API document': 'node scripts/check-openapi.mjs',
  'lock file': 'node scripts/check-lock.mjs',
  comments: 'node scripts/check-comments.mjs',
};
/** Slowest first. The format is two of them, which two cores share. */
const ALL = {
  'types and lint': LINT,
  'format of src': formatOf('src', 'src'),
  'format of the rest': formatOf('rest', `. '!src/**'`),
  dependencies: 'depcruise src client terminal migrations web/src',
  unused: `knip --cache --cache-location ${CACHES}/knip`,
  'API document': 'node scripts/generate-openapi.mjs --check',
  'types of the client': 'node scripts/generate-client-types.mjs --check',
  'codes of problems': 'node scripts/generate-problems-doc.mjs --check',
  ...QUICK,
};

const { values: options } = parseArgs({
  options: { changed: { type: 'boolean', default: false } },
});
process.chdir(root);
await check('sources that compile', 'node scripts/build-if-stale.mjs --only-src');
const waiting = Object.entries(options.changed ? checksOf(changedFiles()) : ALL);
await Promise.all(Array.from({ length: availableParallelism() }, worker));

/** Paths that differ from the last commit, new ones too. */
function changedFiles() {
  const paths = [
    ...git('diff', '--name-only', '--diff-filter=d', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  return paths.filter((path) => !path.includes(' '));
}

function checksOf(files) {
  if (files.length === 0) return {};
  const sources = files.filter((path) => /\.(?:tsx?|mjs)$/.test(path));
  const checked = [...new Set([...sources, ...sources.flatMap(importersOf)])];
  return {
    ...(sources.length > 0 && { 'types and lint': `${LINT} ${checked.join(' ')}` }),
    format: formatOf('changed', `--ignore-unknown ${files.join(' ')}`),
    ...QUICK,
  };
}

/** Skips files whose contents passed before; the name is that of the list where they are. */
function formatOf(name, files) {
  const cache = `--cache --cache-strategy content --cache-location ${CACHES}/format-${name}`;
  return `prettier --check --log-level warn ${cache} ${files}`;
}

/** Sources that import a file of this name. */
function importersOf(path) {
  const name = basename(path).replace(/ts$/, 'js');
  return git('grep', '-lF', `/${name}'`, '--', '*.ts', '*.tsx', '*.mjs');
}

/** The lines of what git prints; none where it finds nothing. */
function git(...args) {
  try {
    return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  } catch (error) {
    if (error.status === 1) return [];
    throw error;
  }
}

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
    env: { ...GO, ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  return { output: await text(child.stdout), code: await closed };
}
