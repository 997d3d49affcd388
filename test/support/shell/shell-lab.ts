import { spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { confine } from './confine.js';
import { findProgram, writeLoggingPrograms } from './logging-programs.js';
import { readXtrace } from './read-xtrace.js';
import { ScratchWorkspace, whyReadsAreUnseen } from './scratch-workspace.js';
import type { Traces } from './scratch-workspace.js';

export type Shell = 'bash' | 'sh';

export interface Trial {
  readonly shell: Shell;
  /** Without NUL, which no argument can hold. */
  readonly script: string;
}

/** What a script did. */
export interface Observed extends Traces {
  /** The words of each program that was run. */
  readonly programs: readonly (readonly string[])[];
  /** The words of each command, builtins included, as Bash traces them; none of `sh`. */
  readonly traced: readonly (readonly string[])[];
  /** Names that `sh` looked for in vain. */
  readonly missing: readonly string[];
}

/** Milliseconds without an end of a script, after which it is killed. */
const PATIENCE_MS = 4_000;
/** Ends the report of a script. A shell quotes the character in what it traces. */
const MARK = '\x01\n';

/**
 * Runs each script of a list in a process group of its own, which has a moment to end, too. The
 * list is on descriptor 3: shell, folder and script, each with a NUL behind it. Bash is called as
 * the tool calls it, but for `-x`.
 */
const DRIVER = String.raw`
set -m +o history
ulimit -c 0 -t 1 -f 65536 -v 2000000
ulimit -u 500 2>&-
declare +x LC_ALL; LC_ALL=C
while IFS= read -r -u 3 -d '' shell && IFS= read -r -u 3 -d '' folder && IFS= read -r -u 3 -d '' script; do
  (
    cd "$folder"; unset OLDPWD log trace errors
    if [ "$shell" = sh ]; then exec sh -c "$script"; fi
    exec bash --norc --noprofile -x -c "$script"
  ) </dev/null >/dev/null 2>>"$errors" 3<&- 97>>"$trace" &
  echo $!
  wait $!
  for turn in {1..25}; do kill -0 -- -$! 2>&- || break; read -t 0.01; done
  kill -KILL -- -$! 2>&-
  printf '#\0' >> "$log"; printf '\1\n' >> "$trace"; printf '\1\n' >> "$errors"
done
`.replace('exec sh', () => `exec ${findProgram('sh')}`);

/** Runs scripts in real shells whose `PATH` has only programs that write down their calls. */
export class ShellLab {
  static T = 0;
  static N = 0;
  private readonly folder = makeOpenFolder();
  private readonly bin = join(this.folder, 'bin');
  private readonly files = Object.fromEntries(
    ['log', 'trace', 'errors', 'list'].map((name) => [name, join(this.folder, name)]),
  ) as Record<'log' | 'trace' | 'errors' | 'list', string>;
  private readonly workspaces: ScratchWorkspace[] = [];
  /** Why reads can't be seen here; undefined if they can. */
  readonly readsUnseen: string | undefined;

  constructor() {
    mkdirSync(join(this.folder, 'home'));
    writeLoggingPrograms(this.bin, this.files.log);
    this.readsUnseen = whyReadsAreUnseen(this.folder);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async run(trials: readonly Trial[]): Promise<Observed[]> {
    while (this.workspaces.length < trials.length) this.addWorkspace();
    this.reset(trials);
    const T = performance.now();
    await this.drive();
    ShellLab.T += performance.now() - T;
    ShellLab.N += trials.length;
    const programs = splitRecords(readFileSync(this.files.log, 'utf8'));
    const [traces, errors] = (['trace', 'errors'] as const).map((name) =>
      readFileSync(this.files[name], 'utf8').split(MARK),
    ) as [string[], string[]];
    return trials.map((_, at) => ({
      programs: programs[at] ?? [],
      traced: readXtrace(traces[at] ?? ''),
      missing: missingIn(errors[at] ?? ''),
      ...this.workspaces[at]!.takeTraces(),
    }));
  }

  private addWorkspace(): void {
    const name = `place-${this.workspaces.length}`;
    this.workspaces.push(new ScratchWorkspace(join(this.folder, name)));
  }

  private reset(trials: readonly Trial[]): void {
    const list = trials.flatMap(({ shell, script }, at) => [
      ...[shell, this.workspaces[at]!.path, script],
    ]);
    for (const path of Object.values(this.files)) {
      writeFileSync(path, path === this.files.list ? list.map((item) => `${item}\0`).join('') : '');
      chmodSync(path, 0o666);
    }
  }

  /** Runs the list, and kills a script that does not end. */
  private async drive(): Promise<void> {
    const { log, trace, errors, list } = this.files;
    const own = { log, trace, errors, BASH_XTRACEFD: '97' };
    const home = { HOME: join(this.folder, 'home'), LANG: 'C.UTF-8', TERM: 'dumb', PAGER: 'cat' };
    const env = { ...own, ...home, PATH: this.bin };
    const command = `exec 3<'${list}'\n${DRIVER.replace('exec bash', `exec ${findProgram('bash')}`)}`;
    const shell = [findProgram('bash'), '--norc', '--noprofile', '-c', command];
    const { command: confined, options } = confine(shell, this.folder);
    const [program = '', ...args] = confined;
    const child = spawn(program, args, {
      ...{ ...options, cwd: this.folder, env, stdio: ['pipe', 'pipe', 'ignore'] as const },
    });
    let group = 0;
    const watch = setInterval(() => killGroup(group), PATIENCE_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      group = Number(chunk.toString().trim().split('\n').at(-1));
      watch.refresh();
    });
    await once(child, 'close').finally(() => clearInterval(watch));
  }
}

function killGroup(group: number): void {
  try {
    if (group > 1) process.kill(-group, 'SIGKILL');
  } catch {
    // it has ended
  }
}

function makeOpenFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'parley-shells-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** The programs of each script. */
function splitRecords(log: string): string[][][] {
  const scripts: string[][][] = [[]];
  const fields = log.split('\0');
  for (let at = 0; at < fields.length - 1;) {
    if (fields[at] === '#') {
      scripts.push([]);
      at++;
      continue;
    }
    const end = at + 2 + Number(fields[at]);
    scripts.at(-1)!.push(fields.slice(at + 1, end));
    at = end;
  }
  return scripts;
}

function missingIn(errors: string): string[] {
  return [...errors.matchAll(/^[^\n]*: \d+: (?:exec: )?([^\n]*): not found$/gm)].map(
    ([, name]) => name!,
  );
}
