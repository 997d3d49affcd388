import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtServer } from '../support/server/built-server.js';
import type { ApiClient } from '../support/client/api-client.js';
import { Person } from '../support/client/person.js';
import { FILES } from '../support/server/process-data.js';
import { Following } from '../support/store/following.js';
import { ServerProcess } from '../support/server/server-process.js';

const run = promisify(execFile);

type Line = Record<string, unknown> & { body?: { type: string; replaces?: string } };

/** Records and replays logs of its own agent. */
const SIGNING = 'dist/test/support/server/signing-server.js';

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

  describe('of a log with answers that returned texts replaced', () => {
    const again = (lines: readonly Line[], ...args: string[]) =>
      replayWith(lines, { program: SIGNING, args });
    const same = expect.stringMatching(/^1 \(signer\) COMPLETED: as in its \d+ records\n/);
    let signed: Line[];

    beforeAll(async () => {
      signed = await recordSigned();
    });

    it('executes it again, as it was', async () => {
      const replacing = signed.filter(({ body }) => body?.replaces !== undefined);
      expect(replacing.map(({ body }) => body!.type)).toEqual(['AGENT_COMPLETED', 'ANSWER']);
      expect(await again(signed)).toEqual({ code: 0, said: same });
    });

    it('executes it again as an older version wrote it', async () => {
      expect(await again(signed.map(withoutReplaces))).toEqual({ code: 0, said: same });
    });

    it('shows that another text was returned', async () => {
      const changed = signed.map((line) =>
        line.body?.type === 'ANSWER' && line.body.replaces
          ? { ...line, body: { ...line.body, content: 'Another.' } }
          : line,
      );
      const { code, said } = await again(changed);
      expect(code).toBe(1);
      expect(said).toMatch(/differs at record \d+\n {2}log: .*Another\..*\n {2}replay: .*signed: /);
    });

    it('goes on from its first record', async () => {
      const { code, said } = await again(signed, '--interaction', '1', '--from', '1');
      expect(code).toBe(0);
      expect(said).toContain('"status":"COMPLETED"');
      expect(said).toContain('"replaces"');
    });
  });

  function replay(
    lines: readonly Line[],
    ...args: string[]
  ): Promise<{ code: number; said: string }> {
    return replayWith(lines, { args });
  }

  async function replayWith(
    lines: readonly Line[],
    {
      program = 'dist/src/replay.js',
      args = [],
    }: { program?: Parameters<typeof builtServer>[0]; args?: readonly string[] },
  ): Promise<{ code: number; said: string }> {
    const path = join(folder, 'log.ndjson');
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const command = await builtServer(program);
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
    return await logOf(api, 'recorded', server);
  } finally {
    await data.remove();
  }
}

/** A chat with a message to an agent that returns other texts than its model's. */
async function recordSigned(): Promise<Line[]> {
  const data = await FILES.create();
  try {
    const env = { ...data.env, MODEL: 'demo/script' };
    const server = await ServerProcess.start(env, [await builtServer(SIGNING)]);
    const api = await server.api();
    await api.say('signed', { user_message: 'hello', agent: 'signer' });
    return await logOf(api, 'signed', server);
  } finally {
    await data.remove();
  }
}

async function logOf(api: ApiClient, chat: string, server: ServerProcess): Promise<Line[]> {
  const { body } = await api.get(`/chats/${chat}/log`);
  await server.kill('SIGTERM');
  return String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function withoutReplaces(line: Line): Line {
  if (!line.body) return line;
  const { replaces: _, ...body } = line.body;
  return { ...line, body };
}
