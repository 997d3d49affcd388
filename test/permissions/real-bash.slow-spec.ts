import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ScriptReader } from '../../src/permissions/shell/script-reader.js';
import type { ScriptPart } from '../../src/permissions/shell/script.js';
import { ShellGrammar } from '../../src/permissions/shell/shell-grammar.js';
import { random } from '../support/random.js';

/** Programs that do nothing but write their name down. */
const PROGRAMS = ['a', 'b', 'evil'];

/** What shells find special, and enough words between it. */
const PIECES = [
  ...[
    'a',
    'b',
    'evil',
    'evil',
    'x',
    ' ',
    ' ',
    ' ',
    '\n',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '#',
    '\\',
    '\\\n',
  ],
  ...[
    "'",
    "'",
    '"',
    '"',
    '`',
    '`',
    '$(',
    '(',
    ')',
    ')',
    '{ ',
    '; }',
    '$',
    '${x:-',
    '}',
    "$'",
    '\\"',
  ],
  ...[
    '<<E\n',
    "<<'E'\n",
    '<<-E\n',
    '\nE\n',
    'E',
    '\tE\n',
    '<<<',
    '> f',
    '< f',
    '2>&1',
    '<(',
    '>(',
    '$((',
    '))',
  ],
  ...[
    'if ',
    '; then ',
    '; fi',
    'while ',
    '; do ',
    '; done',
    'for x in ',
    'case x in ',
    ') ',
    ';; ',
    ' esac',
  ],
  ...[
    'x=',
    'x=1 ',
    'f() { ',
    '[[ ',
    ' ]]',
    '((',
    '[',
    ']',
    '!',
    '=',
    ' -- ',
    '\t',
    '~',
    '*',
    '@',
    'time ',
    'eval ',
  ],
  ...['bash -c ', 'command ', 'exec ', 'xargs ', 'env '],
];

const SCRIPTS = [
  'a x; evil',
  'a "x $(b) y" | b',
  "a 'x' # evil",
  'cat <<E\nx $(b) evil\nE\nevil',
  "a <<'E'\nevil $(evil)\nE\nb",
  'a <<-E\n\tx\n\tE\nb',
  'a <<E && b\nx\nE',
  'a <<E > f x y\nb\nE',
  'if a; then b; else evil; fi',
  'for x in a b; do evil "$x"; done',
  'case x in a) b;; x|y) evil;; esac',
  'f() { evil; }; f',
  '{ a; b; } > f; (evil)',
  'a && b || evil & a',
  'while b; do a; break; done < f',
  'a `b x` "`b`" $(evil)',
  'bash -c "a; b"',
  "bash -c 'evil x'",
  'env a | xargs b x',
  'time a; ! b',
  'a > f 2>&1 b',
  '> f a x; >f b',
  'a \\\n x; b \\\\\nevil',
  "a $'x\\'; evil #' b",
  'a x#y; b #z; evil\nevil',
  'a {x,y} [b] *',
  'command a; exec b',
  'a <(b) >(evil)',
  '[ -f f ] && a || b',
  '[[ x == y* ]] || evil',
];

/** Programs that run others. */
const WRAPPERS = ['/bin/bash', '/usr/bin/env', '/usr/bin/xargs'];

const ROUNDS = Number(process.env['ROUNDS'] ?? 400);
const hasBash = spawnSync('bash', ['-c', 'true']).status === 0;
if (!hasBash) process.stderr.write('Skipped: no bash to compare with\n');

(hasBash ? describe : describe.skip)(`${ScriptReader.name} beside a real bash`, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-bash-'));
    await mkdir(join(folder, 'bin'));
    for (const name of PROGRAMS) {
      const path = join(folder, 'bin', name);
      await writeFile(path, `#!/bin/sh\necho ${name} >> "$RAN"\n`);
      await chmod(path, 0o755);
    }
    for (const path of WRAPPERS) await symlink(path, join(folder, 'bin', basename(path)));
  });

  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('knows of every program that a random script runs', async () => {
    const reader = new ScriptReader(await ShellGrammar.load());
    const next = random(Number(process.env['SEED'] ?? 1));
    const below = (limit: number) => Math.floor(next() * limit);
    const overlooked: unknown[] = [];
    let certain = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const text = below(4) === 0 ? scramble(below) : mutate(below);
      const { parts, fault } = reader.read(text);
      if (fault !== undefined || parts.some(isDoubtful)) continue;
      const names = parts.map((part) =>
        part.kind === 'command' ? part.words[0]?.text : undefined,
      );
      const missing = (await run(folder, text)).filter((name) => !names.includes(name));
      if (missing.length > 0) overlooked.push({ text, missing, names });
      certain++;
    }
    expect(overlooked).toEqual([]);
    expect(certain).toBeGreaterThan(ROUNDS / 100);
  });
});

function scramble(below: (limit: number) => number): string {
  return Array.from({ length: 3 + below(12) }, () => PIECES[below(PIECES.length)]).join('');
}

/** A script or two that are right, with a few pieces put in or characters taken out. */
function mutate(below: (limit: number) => number): string {
  const one = () => PIECES[below(PIECES.length)]!;
  let text = Array.from({ length: 1 + below(2) }, () => SCRIPTS[below(SCRIPTS.length)]).join('\n');
  for (let times = below(6); times > 0; times--) {
    const at = below(text.length + 1);
    const piece = below(4) === 0 ? '' : one() + (below(3) === 0 ? one() : '');
    text = text.slice(0, at) + piece + text.slice(at + (piece === '' ? 1 : 0));
  }
  return text;
}

/** Code that the reader can't see; a program that is merely unknown is none of that. */
function isDoubtful(part: ScriptPart): boolean {
  if (part.kind === 'other') return part.opaque;
  return part.kind === 'command' && (part.opaque || (part.whole && !part.unlisted));
}

/** The programs that a script runs, in a folder of its own and with nothing else to run. */
async function run(folder: string, text: string): Promise<string[]> {
  const work = await mkdtemp(join(folder, 'work-'));
  const log = `${work}.ran`; // what the script left running goes on writing
  await writeFile(log, '');
  spawnSync('bash', ['--norc', '--noprofile', '-c', text], {
    cwd: work,
    env: { PATH: join(folder, 'bin'), RAN: log },
    timeout: 1000,
    killSignal: 'SIGKILL',
    stdio: 'ignore',
  });
  return (await readFile(log, 'utf8')).split('\n').filter((name) => name !== '');
}
