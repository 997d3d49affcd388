import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import { ServerProcess } from '../support/server/server-process.js';
import { skipContract } from '../support/skip-contract.js';
import { parley } from '../support/terminal/parley.js';
import { findTmuxFault, TmuxTerminal } from '../support/terminal/tmux.js';

const fault = findTmuxFault();
const ROWS = 40;

/** What a terminal has to cope with; the demo model repeats what its tools print. */
if (fault) skipContract('a terminal in bad conditions', fault);
else
  describe('A terminal in bad conditions', () => {
    let folder: string;
    let server: ServerProcess;
    let env: Environment;
    const terminals: TmuxTerminal[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'parley-robust-'));
      const data = { DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'workspace') };
      const limits = { TOOL_OUTPUT_LIMIT: '10000000', MODEL_CONTEXT_TOKENS: '10000000' };
      const own = { ...limits, STORE: 'file', MODEL: 'demo/script' };
      server = await ServerProcess.start({ ...data, ...own });
      const { url } = await server.api();
      env = { PARLEY_URL: url, HOME: folder };
    });
    afterEach(async () => {
      for (const terminal of terminals.splice(0)) await terminal.close();
    });
    afterAll(async () => {
      await server.kill('SIGTERM');
      await rm(folder, { recursive: true });
    });

    async function start(
      args: readonly string[],
      size: { columns?: number; rows?: number } = {},
    ): Promise<TmuxTerminal> {
      const terminal = await TmuxTerminal.start(args, { env, ...size });
      terminals.push(terminal);
      await terminal.sees('›');
      return terminal;
    }

    /** The command that prints one line of so many characters. */
    function lineOf(length: number): string {
      return String.raw`call bash {"command":"head -c ${length} /dev/zero | tr '\\0' x"}`;
    }

    it('draws the start of a line of 5 MB that a tool prints, and all of it when asked', async () => {
      const terminal = await start(['--yes']);
      await terminal.enter(lineOf(5_000_000));
      await terminal.sees(/└ x{70,}…\n/);
      await terminal.sees('input_too_large');
      await terminal.enter('/output 1');
      await terminal.type('what is 6*7');
      await terminal.shows(/^x{79}\n[^]*› what is 6\*7$/m);
    });

    it('takes keys while it draws an answer with a line of 3 MB', async () => {
      const terminal = await start(['--yes']);
      await terminal.enter(lineOf(3_000_000));
      await terminal.sees(/It says:\n\n {2}x{70,}\n/);
      await terminal.type('what is 6*7');
      await terminal.shows(/› what is 6\*7$/m);
      await terminal.press('C-u', 'C-c', 'C-c');
      expect(await terminal.ended()).toBe(0);
    });

    it('keeps a table whole whose window changes its size while it is written', async () => {
      const terminal = await start(['--yes'], { columns: 80, rows: 12 });
      const rows = `''.join(f'| row {i} | {i}{i} |\\n' for i in range(1, ${ROWS + 1}))`;
      const code = `print('a table:\\n\\n| name | twice |\\n|---|---|\\n' + ${rows} + '\\nthe end')`;
      await terminal.enter(`call python ${JSON.stringify({ code })}`);
      await terminal.sees(/row 5 +│[^]*›/);
      await terminal.resize(40, 12);
      await terminal.sees(/row 15 +│[^]*›/);
      await terminal.resize(100, 20);
      await terminal.sees(/row 25 +│[^]*›/);
      await terminal.resize(60, 10);
      const text = await terminal.sees(/the end\n[^]*completed · /);
      const [, answer] = /python says: a table:\n\n([^]*)\n\nthe end\n/.exec(text) ?? [];
      const drawn = Array.from({ length: ROWS }, (_, at) => at + 1).map(
        (row) => `row ${row}`.padEnd(7) + `│ ${row}${row}`,
      );
      expect(answer?.split('\n').slice(2)).toEqual(drawn);
      const rest = text.slice(text.indexOf('the end\n'));
      expect(rest).toMatch(/^the end\n\n {2}completed · .*\n/);
    });

    it('shows a chat whole in two terminals, and who settled its requests', async () => {
      const one = await start(['--chat', 'two']);
      await one.enter('call bash {"command":"echo first"}');
      await one.shows(/a approve/);
      const two = await start(['--chat', 'two']);
      await two.shows(/echo first[^]*a approve/);
      await one.press('a');
      await two.sees('✓ approved by local');
      await two.sees(/└ first[^]*completed · /);
      expect(await two.screen()).not.toContain('a approve');
      await two.enter('what is 2+3');
      for (const terminal of [one, two])
        await terminal.sees(/› call bash[^]*└ first[^]*› what is 2\+3[^]*2\+3 = 5/);
      expect(await one.text()).toMatch(/✓ approved\n/);
    });

    it('asks, and takes an answer, on 20 columns', async () => {
      const terminal = await start([], { columns: 20, rows: 16 });
      const words = 'one two three four five six seven eight nine ten';
      await terminal.enter(`call bash {"command":"echo ${words}"}`);
      const card = await terminal.shows(/a approve/);
      for (const word of words.split(' ')) expect(card).toContain(word);
      await terminal.press('a');
      await terminal.sees('completed');
      await terminal.enter('ask me which: red or blue');
      await terminal.shows(/1 {2}red\n[^]*answer ›/);
      await terminal.enter('2');
      await terminal.sees(/ask_human says:\s+blue/);
    });

    it('shows what would command a terminal, and executes nothing of it', async () => {
      const terminal = await start(['--yes']);
      const title = await terminal.title();
      const sequences = String.raw`\\033]0;owned\\007\\033]52;c;b3duZWQ=\\007\\033[2J\\033[H\\033[?1049h\\b\\b\\r`;
      await terminal.enter(
        `call bash {"command":"printf '${sequences}safe\\\\342\\\\200\\\\256txt.exe\\\\n'"}`,
      );
      const text = await terminal.sees('completed · ');
      expect(text).toMatch(/└ (?:.*\n)*.*safe⟦U\+202E⟧txt\.exe/);
      expect(text).toContain('› call bash');
      expect(await terminal.title()).toBe(title);
    });

    it('answers a prompt of 1 MB from standard input', async () => {
      const run = await parley(['chat'], { env, input: `what is 6*7\n${'word '.repeat(200_000)}` });
      expect(run).toEqual({ code: 0, stdout: '6*7 = 42\n', stderr: '' });
    });
  });
