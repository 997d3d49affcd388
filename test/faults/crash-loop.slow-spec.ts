import type { Environment } from '../../src/config/load-config.js';
import { builtServer } from '../support/server/built-server.js';
import { EventReader } from '../support/client/event-reader.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Gate } from '../support/gate.js';
import type { ChatBody } from '../support/model/fake-model.js';
import type { FakeTurn } from '../support/model/fake-openai-turn.js';
import { onOneStore, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import type { Interaction } from '../../src/protocol/wire/interaction.js';

/** The server must not be taken down more often than this. */
const MAX_STARTS = 12;

const POISON = 'Take the server down.';

interface Moment {
  /** The model was asked what it takes long to answer. */
  readonly asked: Gate;
  /** Opened when both interactions are there. */
  readonly started: Gate;
  /** How often the server was started. */
  readonly starts: number;
}

/**
 * The poisonous one calls a tool; its neighbour gets no answer from the first two servers, and from
 * the others a slow one.
 */
function answer(body: ChatBody, { asked, started, starts }: Moment): FakeTurn {
  if (JSON.stringify(body).includes(POISON)) {
    const { messages } = body as { messages: readonly { role: string }[] };
    if (messages.some(({ role }) => role === 'tool')) return { text: 'I survived.' };
    return { text: [started], calls: [{ name: 'deadly', arguments: {} }] };
  }
  if (starts <= 2) return { text: [asked, 'Never.'] };
  const thought = new Gate();
  setTimeout(() => thought.open(), THINKING_MS);
  return { text: [thought, 'I thought.'] };
}

/** Longer than a server lives in which the poisonous one runs too. */
const THINKING_MS = 1_000;

describe('An interaction that takes the server down', () => {
  let fake: FakeOpenAi;
  let servers: ServerProcess[] = [];

  const start = async (env: Environment): Promise<ServerProcess> => {
    const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
    const command = [await builtServer('dist/test/support/server/faulty-server.js'), '--impatient'];
    const server = await ServerProcess.spawn({ ...models, LEASE_TTL_MS: '1000', ...env }, command);
    servers.push(server);
    return server;
  };
  /** Starts it again whenever it dies, until it stays up long enough to say how these ended. */
  const keepUp = async (
    env: Environment,
    all: readonly Interaction[],
  ): Promise<readonly EventReader[]> => {
    for (let starts = 0; starts < MAX_STARTS; starts++) {
      const server = await start(env);
      try {
        const api = await server.api();
        return await Promise.all(all.map((of) => api.follow(of)));
      } catch {
        expect(await server.ended).toMatchObject({ signal: 'SIGKILL' });
      }
    }
    throw new Error(`The server was taken down ${MAX_STARTS} times.`);
  };

  /** The call that killed the server has a result by now, and is not made again. */
  const retry = async (of: Interaction): Promise<void> => {
    const api = await servers.at(-1)!.api();
    const path = `/chats/${of.chat_id}/interactions/${of.id}`;
    expect((await api.post(`${path}/retry`)).status).toBe(202);
    const reader = await api.follow(of);
    expect(reader.find('ANSWER')).toMatchObject({ content: 'I survived.' });
    expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
    expect(reader.faults).toEqual([]);
  };

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
  });
  afterEach(async () => {
    const ended = servers;
    servers = [];
    await Promise.all(ended.map((server) => server.kill('SIGKILL')));
  });
  afterAll(() => fake.stop());

  for (const { name, fault, create } of onOneStore(PGLITE, POSTGRES))
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      let data: ProcessData;
      beforeAll(async () => {
        data = await create();
      });
      afterAll(() => data.remove());

      it('is given up, and takes no neighbour along that is slow', async () => {
        const [asked, started] = [new Gate(), new Gate()];
        fake.otherwise((body) => answer(body, { asked, started, starts: servers.length }));
        const server = await start(data.env);
        const api = await server.api();
        const healthy = await api.begin('healthy', 'Think for a while.');
        await asked.reached;
        const poison = await api.begin('poison', POISON);
        started.open();
        expect(await server.ended).toMatchObject({ signal: 'SIGKILL' });
        const [well, dead] = await keepUp(data.env, [healthy, poison]);
        expect(dead!.records.at(-1)).toMatchObject({ status: 'FAILED' });
        expect(dead!.find('ERROR')).toMatchObject({ code: 'crash_loop' });
        // two runs until it is a suspect, five alone, and the one that gives it up
        expect(dead!.list('RESUMED').length).toBeGreaterThanOrEqual(8);
        expect(well!.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        expect(well!.find('ANSWER')).toMatchObject({ content: 'I thought.' });
        for (const reader of [well!, dead!]) expect(reader.faults).toEqual([]);
        await retry(poison);
      });
    });
});
