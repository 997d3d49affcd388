import type { Scope } from '../../src/auth/principal.js';
import { makeKey, ADMIN_KEY } from '../e2e/with-keys.js';
import type { ApiClient } from '../support/client/api-client.js';
import { Person } from '../support/client/person.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import type { FakeTurn } from '../support/model/fake-openai-turn.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { builtServer } from '../support/server/built-server.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { Following } from '../support/store/following.js';
import { makeToolAsk } from '../support/tools/make-tool-ask.js';

// Over 20 s: servers start, are killed and start again for each kind of words.

const SCOPES: readonly Scope[] = ['chat', 'decide'];
const ASKS = { name: 'ask_human', arguments: { question: 'Well?' } };
/** Ann may, others may not. */
const CALCULATES = { name: 'calculator', arguments: { expression: '6*7' } };
const TELLS_TIME = { name: 'current_time', arguments: {} };
const OPENS = { name: 'open_door', arguments: {} };
const OPEN_DOOR = { name: 'open_door', description: 'Opens.', input_schema: { type: 'object' } };
const MATCHER = { type: 'tool', pattern: 'calculator' };

const ALLOWED = { tool_name: 'calculator', is_error: false, tool_output: '42' };
const DENIED = { is_error: true, tool_output: expect.stringContaining('not allowed') };
const KNOWN_TIME = { tool_name: 'current_time', is_error: false };

interface Said {
  readonly turns: readonly FakeTurn[];
  /** What is said, and by whom; then the run goes on. */
  readonly words: (by: People, following: Following) => Promise<number>;
  /** The last result. */
  readonly result: object;
}

interface People {
  readonly ann: ApiClient;
  readonly amy: ApiClient;
}

const answer = async (by: ApiClient, { of, reader }: Following): Promise<number> => {
  const { request_id } = reader.find('INPUT_REQUIRED')!;
  return (await new Person(() => by).respond(of, request_id, 'Go on.')).status;
};
const approve = async (by: ApiClient, { of, reader }: Following, more: object): Promise<number> => {
  const { approval_id } = reader.find('APPROVAL_REQUIRED')!;
  return (await new Person(() => by).approve(of, approval_id, more)).status;
};

const KINDS: Readonly<Record<string, Said>> = {
  'an answer of its own user': {
    turns: [{ calls: [ASKS] }, { calls: [CALCULATES] }],
    words: ({ ann }, following) => answer(ann, following),
    result: ALLOWED,
  },
  'an answer': {
    turns: [{ calls: [ASKS] }, { calls: [CALCULATES] }],
    words: ({ amy }, following) => answer(amy, following),
    result: DENIED,
  },
  'a note': {
    turns: [{ calls: [ASKS] }],
    words: async ({ ann, amy }, following) => {
      const { agent_id } = following.reader.find('INPUT_REQUIRED')!;
      const note = script({ calls: [CALCULATES] });
      const { status } = await new Person(() => amy).intervene(agent_id, note);
      expect(status).toBe(202);
      return answer(ann, following);
    },
    result: DENIED,
  },
  'the result of a client’s tool': {
    turns: [{ calls: [OPENS] }, { calls: [CALCULATES] }],
    words: async ({ amy }, { of, reader }) => {
      const { tool_call_id } = reader.find('TOOL_RESULT_REQUIRED')!;
      const body = { tool_call_id, tool_output: 'Open.' };
      return (await new Person(() => amy).toolResult(of, body)).status;
    },
    result: DENIED,
  },
  'the reason of an approval': {
    turns: [{ calls: [TELLS_TIME] }, { calls: [CALCULATES] }],
    words: ({ amy }, following) => approve(amy, following, { reason: 'Then calculate.' }),
    result: DENIED,
  },
  'the changed input of a call': {
    turns: [{ calls: [TELLS_TIME] }, { calls: [CALCULATES] }],
    words: ({ amy }, following) =>
      approve(amy, following, { modified_input: { timezone: 'Asia/Tokyo' } }),
    result: DENIED,
  },
  'a remembered approval': {
    turns: [{ calls: [TELLS_TIME] }, { calls: [TELLS_TIME] }],
    words: ({ amy }, following) => approve(amy, following, { remember: 'session' }),
    result: KNOWN_TIME,
  },
};

for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
  (fault ? describe.skip : describe)(`What a user says to the run of another on ${name}`, () => {
    let fake: FakeOpenAi;
    let server: ServerProcess | undefined;
    let data: ProcessData;
    let people: People;
    /** While it is a list, the model waits in each turn that follows the words. */
    let held: Gate[] | undefined;

    const start = async (): Promise<void> => {
      const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
      const keys = { AUTH: 'keys', ADMIN_KEY };
      const settings = { ...models, ...keys, LEASE_TTL_MS: '4000', ...data.env };
      server = await ServerProcess.start(settings, [await builtServer()]);
    };
    const signIn = async (): Promise<People> => {
      const api = await server!.api();
      const [ann, amy] = await Promise.all(
        ['ann', 'amy'].map(async (user_id) =>
          api.bearing((await makeKey(api, SCOPES, { user_id })).key),
        ),
      );
      return { ann: ann!, amy: amy! };
    };
    /** Turns in a chat of Ann that Amy sees, until they wait for somebody. */
    const begin = async (chat: string, turns: readonly FakeTurn[]): Promise<Following> => {
      const { ann } = people;
      expect((await ann.post('/chats', { id: chat, visibility: 'tenant' })).status).toBe(201);
      await makeToolAsk(ann, chat, 'current_time');
      const body = { user_message: script(...turns), client_tools: [OPEN_DOOR] };
      const following = new Following(ann, await ann.begin(chat, body));
      const asked = ['INPUT_REQUIRED', 'APPROVAL_REQUIRED', 'TOOL_RESULT_REQUIRED'];
      await eventually(() => following.reader.types.some((type) => asked.includes(type)));
      return following;
    };

    beforeAll(async () => {
      fake = await FakeOpenAi.start();
      fake.otherwise((body) => {
        const turn = playScript(body);
        if (!held || !turn.calls) return turn;
        const gate = new Gate();
        held.push(gate);
        return { ...turn, text: [gate, 'Well.'] };
      });
      data = await create();
      await start();
      people = await signIn();
      const admin = (await server!.api()).bearing(ADMIN_KEY);
      for (const rule of [
        { scope: 'global', decision: 'deny', matcher: MATCHER },
        { scope: 'user', scope_id: 'ann', decision: 'allow', matcher: MATCHER },
      ])
        expect((await admin.post('/permissions/rules', rule)).status).toBe(201);
    });
    afterEach(() => expect(fake.violations).toEqual([]));
    afterAll(async () => {
      await server?.kill('SIGKILL');
      await fake.stop();
      await data.remove();
    });

    it.each([
      ['at once', false],
      ['while the model writes what follows', true],
    ])(
      'is judged by the rules of both, also if the server is killed %s',
      async (_, isHeld) => {
        const all = await Promise.all(
          Object.values(KINDS).map(({ turns }, n) => begin(`${isHeld}-${n}`, turns)),
        );
        held = isHeld ? [] : undefined;
        const statuses = await Promise.all(
          Object.values(KINDS).map(({ words }, n) => words(people, all[n]!)),
        );
        expect(statuses).toEqual(all.map(() => 200));
        if (isHeld) await eventually(() => held!.length === all.length);
        await server!.kill('SIGKILL');
        for (const gate of held ?? []) gate.open();
        held = undefined;
        await start();
        people = await signIn();
        for (const [n, [kind, { result }]] of Object.entries(KINDS).entries()) {
          await all[n]!.resume(people.ann);
          const reader = await all[n]!.end();
          expect([kind, reader.faults]).toEqual([kind, []]);
          expect([kind, reader.list('TOOL_RESULT').at(-1)]).toMatchObject([kind, result]);
          expect([kind, reader.records.at(-1)]).toMatchObject([kind, { status: 'COMPLETED' }]);
        }
      },
      300_000,
    );
  });
