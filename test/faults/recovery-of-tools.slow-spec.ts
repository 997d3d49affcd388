import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../support/client/api-client.js';
import type { EventReader } from '../support/client/event-reader.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Following } from '../support/store/following.js';
import { Person } from '../support/client/person.js';
import { onStores, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { ServerProcess } from '../support/server/server-process.js';
import { ALL, some } from '../support/thoroughness.js';
import type { Task } from '../../src/protocol/wire/task.js';

// Over 20 s: a server starts after each kill.

const MCP_SERVER = join(import.meta.dirname, '../support/tools/mcp/slow-server.mjs');
const UNKNOWN =
  'The server stopped while this tool was running. It is unknown whether its effect took place: check before you call it again.';
const TITLES = Array.from({ length: 100 }, (_, at) => `Task ${at}`);
const QUESTION = { name: 'ask_human', arguments: { question: 'Which?' } };

/** The moment in which the server is killed: when the tool runs, for sure. */
type Moment = (following: Following) => Promise<unknown>;

const hasStarted: Moment = (following) => following.record('TOOL_STARTED');
const hasPrinted: Moment = (following) => following.event('TOOL_OUTPUT_DELTA');
const hasAsked: Moment = (following) => following.record('INPUT_REQUIRED');
const hasAddedSome: Moment = (following) => following.record('TASK_UPDATED', 3);

/** A call, and what comes of it when the server was killed while it ran. */
const REPORTED: readonly [tool: string, input: object, Moment][] = [
  ['bash', { command: 'echo on; sleep 30' }, hasPrinted],
  ['mcp__slow__acts', {}, hasPrinted],
];
const RERUN: readonly [tool: string, input: object, Moment, output: RegExp][] = [
  ['glob', { pattern: '**/7.txt' }, hasStarted, /\[200 files\]$/],
  ['grep', { pattern: 'line 1?79999$' }, hasStarted, /\[6 lines in 3 files\]$/],
  ['mcp__slow__looks', {}, hasPrinted, /^done$/],
  ['mcp__slow__settles', {}, hasPrinted, /^done$/],
];

for (const { name, fault, create } of onStores(POSTGRES))
  (fault ? describe.skip : describe)(`A call that the server is killed in, on ${name}`, () => {
    let data: ProcessData;
    let folder: string;
    let fake: FakeOpenAi;
    let server: ServerProcess | undefined;
    let api: ApiClient;
    let chats = 0;
    const person = new Person(() => api);

    beforeAll(async () => {
      data = await create();
      folder = await mkdtemp(join(tmpdir(), 'parley-recovery-'));
      fillWorkspace(join(folder, 'work'));
      const args = [MCP_SERVER, join(folder, 'calls')];
      const slow = { command: process.execPath, args, trust: true };
      await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { slow } }));
      await writeFile(join(folder, 'calls'), '');
      fake = await FakeOpenAi.start();
      fake.otherwise(playScript);
    });
    afterAll(async () => {
      await server?.kill('SIGKILL');
      await fake.stop();
      await data.remove();
      await rm(folder, { recursive: true, force: true });
    });

    /** Unless the test before has left one. */
    const start = async (): Promise<void> => {
      if (server?.isRunning) return;
      server = await ServerProcess.start({
        ...{ MODEL: 'openai/fake', OPENAI_BASE_URL: fake.baseUrl, LEASE_TTL_MS: '4000' },
        ...{ WORKSPACE_DIR: join(folder, 'work'), WORKSPACE_MODE: 'shared' },
        ...{ MCP_CONFIG: join(folder, 'mcp.json'), ...data.env },
      });
      api = await server.api();
    };
    /** Has the model make a call, kills the server in the middle of it, and starts another. */
    const cut = async (call: { name: string; arguments: object }, moment: Moment) => {
      await start();
      const chat = `cut-${++chats}`;
      const body = { user_message: script({ calls: [call] }), approval_mode: 'auto' };
      const following = new Following(api, await api.begin(chat, body));
      await moment(following);
      await server!.kill('SIGKILL');
      await start();
      return following.resume(api);
    };
    /**
     * The same, read to the end. A call that had ended before the server was killed tells nothing:
     * it is cut anew.
     */
    const readCut = async (...row: Parameters<typeof cut>): Promise<EventReader> => {
      for (;;) {
        const reader = await (await cut(...row)).end();
        const result = reader
          .list('TOOL_RESULT')
          .find(({ tool_name }) => tool_name === row[0].name);
        const resumed = reader.find('RESUMED');
        if (resumed && result && resumed.seq < result.seq) return reader;
        expect(reader.faults).toEqual([]);
      }
    };
    /** The pids of the MCP servers that got this tool's calls. */
    const callsOf = async (tool: string): Promise<number[]> =>
      (await readFile(join(folder, 'calls'), 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { name: string; pid: number })
        .filter((call) => tool.endsWith(`__${call.name}`))
        .map(({ pid }) => pid);

    it.each(REPORTED)('is not made again, and reported as unknown: %s (I4)', async (...row) => {
      const [tool, input, moment] = row;
      const reader = await (await cut({ name: tool, arguments: input }, moment)).end();
      expect(resultAfterCut(reader, tool)).toMatchObject({ is_error: true, tool_output: UNKNOWN });
      if (!tool.startsWith('mcp__')) return;
      const pids = await callsOf(tool);
      expect(pids).toHaveLength(1);
      await eventually(() => isGone(pids[0]!));
    });

    it.each(ALL ? RERUN : some(RERUN, 2))(
      'is made again, as if nothing had been: %s (I4)',
      async (...row) => {
        const [tool, input, moment, output] = row;
        const reader = await readCut({ name: tool, arguments: input }, moment);
        expect(resultAfterCut(reader, tool)).toMatchObject({
          is_error: false,
          tool_output: expect.stringMatching(output),
        });
        if (!tool.startsWith('mcp__')) return;
        const [first, second, ...more] = await callsOf(tool);
        expect(more).toEqual([]);
        expect(second).not.toBe(first);
        await eventually(() => isGone(first!));
      },
    );

    it('is made again without a task twice, and tells of every task: todo (I4)', async () => {
      const tasks = TITLES.map((title) => ({ title }));
      const reader = await readCut({ name: 'todo', arguments: { tasks } }, hasAddedSome);
      expect(resultAfterCut(reader, 'todo')).toMatchObject({ is_error: false });
      const { body } = await api.get(`/tasks?chat_id=cut-${chats}`);
      const board = body.items as readonly Task[];
      expect(board.map(({ title }) => title)).toEqual(TITLES);
      const told = new Set(reader.list('TASK_UPDATED').map(({ task }) => task.id));
      expect(board.filter(({ id }) => !told.has(id))).toEqual([]);
    });

    it.each([
      ['ask_human', QUESTION, 'This.'],
      ['agent', { name: 'agent', arguments: { prompt: script({ calls: [QUESTION] }) } }, 'Done.'],
    ])('is replayed, and nobody is asked twice: %s (I4, I5)', async (tool, call, output) => {
      const following = await cut(call, hasAsked);
      const { request_id } = await following.record('INPUT_REQUIRED');
      expect((await person.respond(following.of, request_id, 'This.')).status).toBe(200);
      const reader = await following.end();
      expect(resultAfterCut(reader, tool)).toMatchObject({ is_error: false, tool_output: output });
      expect(reader.list('INPUT_REQUIRED')).toHaveLength(1);
      expect(reader.list('AGENT_STARTED')).toHaveLength(tool === 'agent' ? 1 : 0);
      expect(resultAfterCut(reader, 'ask_human')).toMatchObject({ tool_output: 'This.' });
    });
  });

/** So much that a search takes its time. */
function fillWorkspace(folder: string): void {
  const lines = Array.from({ length: 200_000 }, (_, at) => `the line ${at}\n`).join('');
  for (let at = 0; at < 200; at++) {
    mkdirSync(join(folder, `many/${at}`), { recursive: true });
    for (let file = 0; file < 30; file++) writeFileSync(join(folder, `many/${at}/${file}.txt`), '');
  }
  for (let at = 0; at < 3; at++) writeFileSync(join(folder, `large-${at}.txt`), lines);
}

/** The only result of the tool's only call, which the run after the crash must have added. */
function resultAfterCut(reader: EventReader, tool: string) {
  expect(reader.faults).toEqual([]);
  const of = (type: 'TOOL_STARTED' | 'TOOL_RESULT') =>
    reader.list(type).filter(({ tool_name }) => tool_name === tool);
  expect(of('TOOL_STARTED')).toHaveLength(1);
  expect(of('TOOL_RESULT')).toHaveLength(1);
  const [result] = of('TOOL_RESULT');
  expect(reader.find('RESUMED')!.seq).toBeLessThan(result!.seq);
  return result;
}

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}
