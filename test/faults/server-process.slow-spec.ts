import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/client/api-client.js';
import { EventReader } from '../support/client/event-reader.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import type { ChatBody } from '../support/model/fake-model.js';
import type { FakeTurn } from '../support/model/fake-openai-turn.js';
import { Gate } from '../support/gate.js';
import { FILES, onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { resumeAfterEach } from '../support/client/resume-after-each.js';
import { ServerProcess } from '../support/server/server-process.js';
import type { EventFrame } from '../../client/strict-reader.js';

// Over 20 s: ten servers start, and one waits half a minute for its database.

const KEY = 'sk-a-key-that-nobody-may-see';
const PASSWORD = 'a-password-that-nobody-may-see';
/** The discard port, where nobody listens. */
const NOWHERE = `postgres://parley:${PASSWORD}@127.0.0.1:9/parley`;

/** Tool calls of each interaction in the chaos, and frames between two kills. */
const CALLS = 10;
const FRAMES = 60;
const KILLS = 2;

describe('The server as a process', () => {
  let started: ServerProcess[] = [];
  let fake: FakeOpenAi;
  let withoutDatabase: ServerProcess;

  const settings = (): Environment => ({
    MODEL: 'openai/fake',
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: fake.baseUrl,
    LEASE_TTL_MS: '4000',
  });
  const start = async (env: Environment): Promise<ServerProcess> => {
    const server = await ServerProcess.start({ ...settings(), ...env });
    started.push(server);
    return server;
  };

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    // It takes half a minute to give up, and does so while the other tests run.
    withoutDatabase = await ServerProcess.spawn({ DATABASE_URL: NOWHERE });
  });
  afterEach(async () => {
    const ended = started;
    started = [];
    await Promise.all(ended.map((server) => server.kill('SIGKILL')));
    for (const { output } of ended) expect(output).not.toContain(KEY);
    expect(fake.violations).toEqual([]);
  });
  afterAll(async () => {
    await withoutDatabase.kill('SIGKILL');
    await fake.stop();
  });

  for (const { name, fault, create } of onStores(POSTGRES, PGLITE))
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      let data: ProcessData;
      beforeAll(async () => {
        data = await create();
      });
      afterAll(() => data.remove());

      /** A reader that has seen a tool call and half of the answer; the model waits there. */
      const readHalf = async (api: ApiClient, chat: string) => {
        const gate = new Gate();
        const calls = [{ name: 'calculator', arguments: { expression: '6*7' } }];
        fake.reply({ calls }, { text: ['Half', gate] });
        const stream = await api.stream(chat, 'What is 6*7?');
        const frames = stream[Symbol.asyncIterator]();
        const reader = new EventReader();
        const seen: EventFrame[] = [];
        while (reader.openText !== 'Half') {
          seen.push((await frames.next()).value!);
          reader.read(seen.at(-1)!);
        }
        const of = { chat_id: chat, id: reader.records[0]!.interaction_id };
        return { reader, frames, seen, of };
      };
      /** The reader comes back to a server that was started on the same data. */
      const goOn = async (
        { reader, seen, of }: Awaited<ReturnType<typeof readHalf>>,
        asked: number,
      ): Promise<ServerProcess> => {
        fake.reply({ text: 'The whole answer: 42.' });
        const server = await start(data.env);
        await fake.request(asked + 1); // by itself: nobody reads yet
        const api = await server.api();
        await api.follow(of, undefined, reader);
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'TOOL_CALL',
          'TURN_COMPLETED',
          'TOOL_STARTED',
          'TOOL_RESULT',
          'RESUMED',
          'ANSWER',
          'TURN_COMPLETED',
          'INTERACTION_COMPLETE',
        ]);
        expect(reader.find('ANSWER')).toMatchObject({ content: 'The whole answer: 42.' });
        for (const other of await resumeAfterEach(api, of, seen)) {
          expect(other.faults).toEqual([]);
          expect(other.records).toEqual(reader.records);
        }
        expect(fake.requests).toHaveLength(asked + 1);
        expect((await api.interaction(of)).status).toBe('COMPLETED');
        const next = await api.say(of.chat_id, 'And now?');
        expect(next.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        return server;
      };

      it('goes on by itself with what it did when it was killed, and runs no finished tool again', async () => {
        const server = await start(data.env);
        const half = await readHalf(await server.api(), 'killed');
        const asked = fake.requests.length;
        await server.kill('SIGKILL');
        await expect(half.frames.next()).rejects.toThrow('terminated');
        await goOn(half, asked);
        expect(half.reader.find('RESUMED')).toMatchObject({
          attempt: 1,
          reason: expect.stringMatching(/lost/),
        });
      });

      it('stops in order on SIGTERM: streams end, and the next start goes on', async () => {
        const server = await start(data.env);
        const half = await readHalf(await server.api(), 'stopped');
        const asked = fake.requests.length;
        const ended = server.kill('SIGTERM');
        expect(await half.frames.next()).toEqual({ done: true, value: undefined });
        expect(await ended).toEqual({ code: 0, signal: null });
        const next = await goOn(half, asked);
        expect(half.reader.find('RESUMED')).toMatchObject({
          attempt: 1,
          reason: expect.stringMatching(/stopped/),
        });
        expect(await next.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      });

      it('finishes every interaction, however often it is killed, and readers miss nothing (I3)', async () => {
        fake.otherwise(manyTurns);
        const env = { ...data.env, LEASE_TTL_MS: '700' };
        let current = start(env);
        const api = await (await current).api();
        const chats = Array.from({ length: 5 }, (_, n) => `chaos-${n}`);
        const all = await Promise.all(chats.map((chat) => api.begin(chat, 'Go')));
        let frames = 0;
        let kills = 0;
        const readers = all.map(async (of) => {
          const reader = new EventReader();
          while (!reader.done) {
            const mine = current;
            const server = await mine;
            try {
              for await (const frame of await (await server.api()).events(of, reader.cursor)) {
                reader.read(frame);
                if (++frames % FRAMES > 0 || kills === KILLS || current !== mine) continue;
                kills++;
                current = server.kill('SIGKILL').then(() => start(env));
              }
            } catch {
              // It was killed.
            }
          }
          return reader;
        });
        for (const reader of await Promise.all(readers)) {
          expect(reader.faults).toEqual([]);
          expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
          expect(reader.list('TOOL_RESULT')).toHaveLength(CALLS);
        }
        expect(kills).toBe(KILLS);
      });
    });

  it('reads nested fields of bodies whose classes are made from others, as its sources do', async () => {
    const data = await FILES.create();
    const api = await (await start(data.env)).api();
    const settings = { budget: { tool_calls: 1, wall_time_ms: 60_000 } };
    expect(await api.post('/chats', { id: 'nested', settings })).toMatchObject({
      status: 201,
      body: { settings },
    });
    const unknown = await api.patch('/chats/nested', { settings: { budget: { turns: 1 } } });
    expect(unknown).toMatchObject({ status: 400, body: { type: '/problems/invalid_body' } });
    await data.remove();
  });

  it('ends at once on a second signal, whoever it still waits for', async () => {
    const data = await FILES.create();
    const server = await start(data.env);
    const gate = new Gate();
    fake.reply({ text: ['Half', gate] });
    const live = await (await server.api()).stream('live', 'Go');
    await gate.reached;
    // Both are there when it goes on: no time in between in which it could have stopped in order.
    server.signal('SIGSTOP');
    void server.kill('SIGTERM');
    const ended = server.kill('SIGINT');
    server.signal('SIGCONT');
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(server.output).toMatch(/shutting down.*Second SIG\w+, exiting immediately/s);
    await live.all().catch(() => []);
    await data.remove();
  });

  it('ends with 78 and names every fault of its configuration, before it listens', async () => {
    const server = await ServerProcess.spawn({
      PORT: 'banana',
      STORE: 'disk',
      DATABASE_URL: `mysql://root:${PASSWORD}@localhost/db`,
      HEARTBEAT_MS: '-1',
      OPENAI_API_KEY: `${KEY} with spaces`,
    });
    started.push(server);
    expect(await server.ended).toEqual({ code: 78, signal: null });
    for (const name of ['PORT', 'STORE', 'DATABASE_URL', 'HEARTBEAT_MS', 'OPENAI_API_KEY'])
      expect(server.output).toContain(name);
    expect(server.output).toContain('banana');
    expect(server.output).not.toContain(PASSWORD);
    expect(server.output).not.toContain('Ready');
  });

  (POSTGRES.fault ? it.skip : it)('ends with 1 at once when waiting would not help', async () => {
    const data = await POSTGRES.create();
    const url = new URL(data.env['DATABASE_URL']!);
    url.pathname = '/parley_that_is_not_there';
    const server = await ServerProcess.spawn({ DATABASE_URL: url.href });
    started.push(server);
    expect(await server.ended).toEqual({ code: 1, signal: null });
    expect(server.output).toMatch(/could not start.*parley_that_is_not_there/);
    await data.remove();
  });

  it('tells once what keeps it from starting', async () => {
    const data = await FILES.create();
    const env = { ...data.env, PORT: new URL(fake.baseUrl).port };
    const server = await ServerProcess.spawn(env);
    started.push(server);
    expect(await server.ended).toEqual({ code: 1, signal: null });
    const told = server.output.split('\n').filter((line) => line.includes('EADDRINUSE'));
    expect(told).toEqual([expect.stringMatching(/^Parley could not start/)]);
    await data.remove();
  });

  it('waits for a database that is away, then ends with 1 and says what to check', async () => {
    expect(await withoutDatabase.ended).toEqual({ code: 1, signal: null });
    const { output } = withoutDatabase;
    expect(output).toMatch(/could not start.*127\.0\.0\.1:9.*DATABASE_URL/);
    expect(output).not.toContain(PASSWORD);
    expect(output).not.toContain('Ready');
  });
});

/** What the model does in the chaos: calls the calculator a few times, then talks for a while. */
function manyTurns({ messages }: ChatBody): FakeTurn {
  const calls = messages.filter(({ role }: { role: string }) => role === 'tool').length;
  if (calls >= CALLS) return { text: 'And so on. '.repeat(60) };
  return { calls: [{ name: 'calculator', arguments: { expression: `6*${calls}` } }] };
}
