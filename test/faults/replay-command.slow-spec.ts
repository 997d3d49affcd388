import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtServer } from '../support/server/built-server.js';
import { Person } from '../support/client/person.js';
import { FILES } from '../support/server/process-data.js';
import { Following } from '../support/store/following.js';
import { ServerProcess } from '../support/server/server-process.js';

const run = promisify(execFile);

type Line = Record<string, unknown> & { body?: { type: string } };

describe('npm run replay', () => {
  let folder: string;
  let log: Line[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-replays-'));
    log = await record();
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('executes each interaction of a session log again, as it was', async () => {
    const { code, said } = await replay(log);
    expect(said.trim().split('\n')).toEqual([
      expect.stringMatching(/^1 \(react\) COMPLETED: as in its \d+ records$/),
      expect.stringMatching(/^2 \(react\) COMPLETED: as in its \d+ records$/),
    ]);
    expect(code).toBe(0);
    expect(await readdir(folder)).toEqual(['log.ndjson']); // nothing of its own stays
  });

  it('shows where the agent does something else than the log', async () => {
    const kept = log.filter(({ body }) => body?.type !== 'ANSWER');
    const last = kept.findLastIndex(({ body }) => body?.type === 'TURN_COMPLETED');
    const end = kept.findLastIndex(({ body }) => body?.type === 'INTERACTION_COMPLETE');
    const cut = kept.flatMap((line, n) => {
      if (n === last) return [];
      return [n === end ? { ...line, seq: Number(kept[last]?.['seq']) - 1 } : line];
    });
    const { code, said } = await replay(cut, '--interaction', '2');
    expect(said).toMatch(
      /^2 \(react\) COMPLETED: differs at record \d+\n {2}log: {4}\{"type":"INTERACTION_COMPLETE".*\n {2}replay: asks demo\/script$/m,
    );
    expect(code).toBe(1);
  });

  it('judges the calls of the log by the rules of today', async () => {
    const { said } = await replay(log, '--rules');
    expect(said).toMatch(/^ {2}\d+ bash: ask \(in the log: approved\)\. \S+/m);
  });

  it('goes on from a record with real models and tools, and asks nobody', async () => {
    const { said, code } = await replay(log, '--interaction', '2', '--from', '1');
    const events = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(events.find(({ type }) => type === 'TOOL_RESULT')?.['tool_output']).toContain(
      'approvals are off',
    );
    expect(events.at(-1)).toMatchObject({ type: 'INTERACTION_COMPLETE', status: 'COMPLETED' });
    expect(code).toBe(0);
  });

  it('says how it is used', async () => {
    expect(await replay(log, '--from', '3')).toMatchObject({
      code: 64,
      said: expect.stringContaining('--from needs --interaction'),
    });
    expect(await replay(log, '--interaction', '9')).toMatchObject({
      code: 64,
      said: expect.stringContaining('The log has 2 interactions'),
    });
  });

  async function replay(
    lines: readonly Line[],
    ...args: string[]
  ): Promise<{ code: number; said: string }> {
    const path = join(folder, 'log.ndjson');
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const command = await builtServer('dist/src/replay.js');
    const env = { PATH: process.env['PATH'], MODEL: 'demo/script', TMPDIR: folder };
    try {
      const { stdout } = await run(process.execPath, [command, path, ...args], {
        env,
        cwd: folder,
      });
      return { code: 0, said: stdout };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, said: stdout + stderr };
    }
  }
});

/** A chat of two interactions, one with a call that was approved. */
async function record(): Promise<Line[]> {
  const data = await FILES.create();
  try {
    const server = await ServerProcess.start({ ...data.env, MODEL: 'demo/script' });
    const api = await server.api();
    await api.say('recorded', 'hello');
    const person = new Person(() => api);
    const asking = new Following(api, await api.begin('recorded', 'please run: echo hi'));
    const { approval_id } = await asking.record('APPROVAL_REQUIRED');
    await person.approve(asking.of, approval_id);
    await asking.end();
    const { body } = await api.get('/chats/recorded/log');
    await server.kill('SIGTERM');
    return String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  } finally {
    await data.remove();
  }
}
