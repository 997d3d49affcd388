import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Environment } from '../../../src/config/load-config.js';
import { builtServer } from '../server/built-server.js';

const run = promisify(execFile);
/** No verdict: Jest's own timeout would not say what was awaited. */
const LIMIT_MS = 150_000;
const STEP_MS = 40;
const HISTORY = 10_000;

/** Why there is no tmux, or undefined. With REQUIRE_SERVICES=1 that is an error. */
export function findTmuxFault(): string | undefined {
  try {
    execFileSync('tmux', ['-V']);
    return undefined;
  } catch {
    if (process.env['REQUIRE_SERVICES'] === '1') throw new Error('no tmux on the PATH');
    process.stderr.write('Skipped: no tmux on the PATH\n');
    return 'no tmux on the PATH';
  }
}

export interface TerminalOptions {
  readonly env: Environment;
  readonly columns?: number;
  readonly rows?: number;
}

/** `parley` in a terminal of tmux, as a person has it. */
export class TmuxTerminal {
  private constructor(private readonly folder: string) {}

  static async start(
    args: readonly string[],
    { env, columns = 80, rows = 24 }: TerminalOptions,
  ): Promise<TmuxTerminal> {
    const terminal = new TmuxTerminal(await mkdtemp(join(tmpdir(), 'parley-tmux-')));
    const program = await builtServer('dist/terminal/main.js');
    const own = { PATH: process.env['PATH'], LANG: 'C.UTF-8', HOME: terminal.folder };
    const variables = Object.entries({ ...own, XDG_STATE_HOME: terminal.folder, ...env });
    const assignments = variables.flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    );
    const command = ['env', ...assignments, process.execPath, program, ...args];
    const size = ['-x', String(columns), '-y', String(rows)];
    await terminal.tmux(
      ...['start-server', ';', 'set-option', '-g', 'remain-on-exit', 'on', ';'],
      ...['set-option', '-g', 'history-limit', String(HISTORY), ';'],
      ...['new-session', '-d', '-s', 'parley', ...size, command.map(quote).join(' ')],
    );
    return terminal;
  }

  /** Presses keys by the names that tmux has for them, such as `Enter` and `C-x`. */
  async press(...keys: string[]): Promise<void> {
    await this.tmux('send-keys', '-t', 'parley', ...keys);
  }

  async type(text: string): Promise<void> {
    await this.tmux('send-keys', '-t', 'parley', '-l', text);
  }

  /** Types a line, and Enter. */
  async enter(text: string): Promise<void> {
    await this.type(text);
    await this.press('Enter');
  }

  /** What is on the screen and above it, without styles. */
  async text(): Promise<string> {
    return this.tmux('capture-pane', '-p', '-t', 'parley', '-S', `-${HISTORY}`);
  }

  async screen(): Promise<string> {
    return this.tmux('capture-pane', '-p', '-t', 'parley');
  }

  /** The title of the terminal, which a program may set. */
  async title(): Promise<string> {
    return this.tmux('display-message', '-p', '-t', 'parley', '#{pane_title}');
  }

  async resize(columns: number, rows: number): Promise<void> {
    const size = ['-x', String(columns), '-y', String(rows)];
    await this.tmux('resize-window', '-t', 'parley', ...size);
  }

  /** Resolves with all text as soon as it has this. */
  sees(expected: string | RegExp): Promise<string> {
    return this.until(expected, () => this.text());
  }

  /** Resolves with what is on the screen as soon as that is so. */
  shows(expected: RegExp): Promise<string> {
    return this.until(expected, () => this.screen());
  }

  private async until(expected: string | RegExp, read: () => Promise<string>): Promise<string> {
    let text = '';
    for (const end = performance.now() + LIMIT_MS; performance.now() < end; await delay(STEP_MS)) {
      text = await read();
      if (typeof expected === 'string' ? text.includes(expected) : expected.test(text)) return text;
    }
    throw new Error(`Not seen within ${LIMIT_MS} ms: ${String(expected)}\n${text}`);
  }

  /** Resolves with its exit code when it has ended. */
  async ended(): Promise<number> {
    const format = '#{pane_dead} #{pane_dead_status}';
    for (const end = performance.now() + LIMIT_MS; performance.now() < end; await delay(STEP_MS)) {
      const said = await this.tmux('display-message', '-p', '-t', 'parley', format);
      const [isDead, status] = said.trim().split(' ');
      if (isDead === '1' && status) return Number(status);
      // The pane is dead before its status is known. Some ends are reaped only with the next one.
      if (isDead === '1') await this.tmux('run-shell', 'true');
    }
    throw new Error(`Not ended within ${LIMIT_MS} ms\n${await this.text()}`);
  }

  async close(): Promise<void> {
    await this.tmux('kill-server').catch(() => {});
    await rm(this.folder, { recursive: true, force: true });
  }

  private async tmux(...args: string[]): Promise<string> {
    const socket = join(this.folder, 'tmux');
    const { stdout } = await run('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...args]);
    return stdout;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
