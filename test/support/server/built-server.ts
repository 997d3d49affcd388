import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { filesIn, fingerprintOf, madeOnce, ROOT } from './made-once.js';

/** Programs of the server, or of tests that run it as a process of its own. */
const PROGRAMS = [
  'dist/src/main.js',
  'dist/src/backup.js',
  'dist/src/restore.js',
  'dist/src/migrate.js',
  'dist/src/move.js',
  'dist/src/keys.js',
  'dist/src/models.js',
  'dist/src/replay.js',
  /** The terminal, beside the server that it may start. */
  'dist/terminal/main.js',
  /** With tools whose effects can be counted. */
  'chaos/server/main.mjs',
  /** With tools and agents that the server has to cope with. */
  'dist/test/support/server/faulty-server.js',
  /** With an agent whose hooks, resources and guardrails tell what happens. */
  'dist/test/support/tools/witness-server.js',
  /** With an agent that returns other texts than its model's. It also replays logs. */
  'dist/test/support/server/signing-server.js',
  /** With agents and tools that ask people. */
  'dist/test/support/server/people-server.js',
  /** That tells what its main thread does. */
  'dist/test/support/server/measured-server.js',
  'dist/test/faults/database-writer.js',
  'dist/test/faults/file-store-writer.js',
  'dist/test/faults/lock-holder.js',
] as const;
type Program = (typeof PROGRAMS)[number];

const COMPILED = ['src', 'client', 'terminal', 'migrations', 'test'];
const COPIED = ['package.json', 'prompts', 'chaos/server'];
const CONSOLE = ['web/src', 'web/public'];
const CONSOLE_FILES = ['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'].map(
  (name) => `web/${name}`,
);
const VITE = 'node_modules/vite/bin/vite.js';
const COMPILER = 'scripts/compile.mjs';
const BUNDLER = 'scripts/bundle-programs.mjs';
const NEST_CLI = ['nest-cli.json', 'scripts/nest-cli.mjs'];
const run = promisify(execFile);

let built: Promise<string> | undefined;

/**
 * The file to start a process with, compiled from the sources as they are, once for all tests that
 * need one, and bundled.
 */
export async function builtServer(program: Program = 'dist/src/main.js'): Promise<string> {
  return join(await (built ??= findOrBuild()), 'dist/programs', nameOf(program));
}

/** As the bundler names it. */
function nameOf(program: Program): string {
  if (program === 'dist/terminal/main.js') return 'parley.js';
  return program.replace(/^dist\/(src\/)?/, '').replaceAll('/', '-');
}

async function findOrBuild(): Promise<string> {
  const folders = await Promise.all(COMPILED.map((folder) => filesIn(folder, /(?<!spec)\.ts$/)));
  const copied = await Promise.all(
    ['prompts', 'chaos/server', 'src'].map((folder) => filesIn(folder, /\.(?!ts$)\w+$/)),
  );
  const page = await Promise.all(CONSOLE.map((folder) => filesIn(folder, /(?<!spec)\.\w+$/)));
  const fingerprint = await fingerprintOf(
    [],
    [
      'package.json',
      'package-lock.json',
      COMPILER,
      BUNDLER,
      ...NEST_CLI,
      ...copied.flat(),
      ...folders.flat(),
      ...CONSOLE_FILES,
      ...page.flat(),
    ],
  );
  return madeOnce('build', fingerprint, async (folder) => {
    await run(process.execPath, [join(ROOT, COMPILER), folder, ...COMPILED]);
    for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true });
    const outDir = join(folder, 'dist/console');
    const build = [join(ROOT, VITE), 'build', join(ROOT, 'web'), '--outDir', outDir];
    await Promise.all([
      run(process.execPath, [join(ROOT, BUNDLER), folder, ...PROGRAMS]),
      run(process.execPath, [...build, '--emptyOutDir']),
    ]);
  });
}
