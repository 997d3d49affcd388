import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../support/client/api-client.js';
import { builtServer } from '../support/server/built-server.js';
import { Effects } from '../support/tools/effects.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { PGLITE } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

/** The first program of a server takes a while. */
const STARTED_MS = 100_000;

/**
 * Two effects that must not happen twice, with a question between. Each step is told all that was
 * noted before it of time and chance.
 */
const PROGRAM = `import json, os, random, secrets, time, uuid
from datetime import datetime
notes = []
def note():
    ids = [str(each) for each in (uuid.uuid4(), uuid.uuid1(), datetime.now())]
    order = [list({"a", "b", "c", "d", "e"}), hash("text"), id(notes)]
    times = [time.time(), time.monotonic(), time.perf_counter(), time.process_time()]
    notes.append([times, ids, order, random.random(), os.urandom(4).hex(), secrets.token_hex(4)])
    return json.dumps(notes)
print(tool("deed", token=note(), ms=0)[:4])
print(ask(note()))
tool("deed", token=note(), ms=0)
print(tool("current_time")[:2])`;

/** Of which the first are times, in seconds. */
type Note = readonly [readonly number[], ...unknown[]];

/** What came of the effect that the server died in is unknown, and the program hears so. */
const CUT = `try:
    tool("deed", token="cut", ms=60000)
except ToolError as error:
    print(error)
print(tool("deed", token="after", ms=0))`;

describe('A Python program across a crash', () => {
  let data: ProcessData;
  let folder: string;
  let fake: FakeOpenAi;
  let effects: Effects;
  let server: ServerProcess;
  let tests = 0;

  beforeAll(async () => {
    data = await PGLITE.create();
    folder = await mkdtemp(join(tmpdir(), 'parley-python-'));
  });
  beforeEach(async () => {
    fake = await FakeOpenAi.start();
    effects = new Effects(join(folder, `effects-${tests++}`));
  });
  afterEach(async () => {
    await server.kill('SIGKILL');
    await fake.stop();
  });
  afterAll(async () => {
    await data.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<ApiClient> {
    const settings = {
      MODEL: 'openai/fake',
      OPENAI_BASE_URL: fake.baseUrl,
      LEASE_TTL_MS: '4000',
      CHAOS_EFFECTS: effects.path,
      ...data.env,
    };
    server = await ServerProcess.start(settings, [await builtServer('chaos/server/main.mjs')]);
    return server.api();
  }

  async function begin(api: ApiClient, chat: string, code: string) {
    fake.reply({ calls: [{ name: 'python', arguments: { code } }] }, { text: 'Done.' });
    return api.begin(chat, { user_message: 'Go', approval_mode: 'auto' });
  }

  it('goes on after what it has done, with the same time and the same chance (I3, I4, I5)', async () => {
    const api = await start();
    const of = await begin(api, 'asked', PROGRAM);
    await eventually(async () => (await pending(api)).length === 1, STARTED_MS);
    await server.kill('SIGKILL');
    const again = await start();
    const [{ id: request_id }] = (await pending(again)) as [{ id: string }];
    const path = `/chats/asked/interactions/${of.id}/respond`;
    expect((await again.post(path, { request_id, answer: 'On!' })).status).toBe(200);
    const reader = await again.follow(of);
    expect(reader.faults).toEqual([]);
    const results = reader
      .list('TOOL_RESULT')
      .map(({ tool_name, is_error }) => [tool_name, is_error]);
    expect(results).toEqual(
      ['deed', 'deed', 'current_time', 'python'].map((name) => [name, false]),
    );
    expect(reader.list('TOOL_RESULT').at(-1)!.tool_output).toBe('Left\nOn!\n20');
    const [first, second] = (await effects.list()).filter(({ phase }) => phase === 'end');
    const asked = reader.find('INPUT_REQUIRED')!.question;
    const before = [first!.input.token, asked].map((text) => JSON.parse(text) as Note[]);
    const after = JSON.parse(second!.input.token) as Note[];
    expect(before).toEqual([after.slice(0, 1), after.slice(0, 2)]);
    const times = after.map(([[now]]) => now);
    expect(times[0]! < times[1]! && times[1]! < times[2]!).toBe(true);
    expect(Math.abs(Date.now() / 1000 - times[2]!)).toBeLessThan(600);
    expect(await effects.phases('deed')).toEqual(['begin', 'end', 'begin', 'end']);
    expect(fake.requests).toHaveLength(2);
  });

  it('hears that the outcome of what was cut is unknown, and goes on (I4)', async () => {
    const of = await begin(await start(), 'cut', CUT);
    await eventually(async () => (await effects.phases('deed')).length === 1, STARTED_MS);
    await server.kill('SIGKILL');
    const reader = await (await start()).follow(of);
    expect(reader.faults).toEqual([]);
    expect(reader.list('TOOL_RESULT').at(-1)).toMatchObject({
      tool_name: 'python',
      is_error: false,
      tool_output: expect.stringMatching(
        /^The server stopped while this tool was running.*\nLeft after\.$/,
      ),
    });
    expect(await effects.phases('deed')).toEqual(['begin', 'begin', 'end']);
  });
});

async function pending(api: ApiClient): Promise<readonly { readonly id: string }[]> {
  return (await api.get('/requests?status=pending')).body.items as { id: string }[];
}
