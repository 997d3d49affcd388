import type { RecordType } from '../../src/protocol/events.js';
import type { ApiClient } from '../support/client/api-client.js';
import { builtServer } from '../support/server/built-server.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import { eventually } from '../support/eventually.js';
import type { ChatBody } from '../support/model/fake-model.js';
import type { FakeTurn } from '../support/model/fake-openai-turn.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Following } from '../support/store/following.js';
import { Gate } from '../support/gate.js';
import { Person } from '../support/client/person.js';
import { onOneStore, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { some } from '../support/thoroughness.js';
import { WitnessStand } from '../support/tools/witnessed.js';
import type { Interaction } from '../../src/protocol/wire/interaction.js';

// Over 20 s: a server starts after each kill.

const SECRET = 'tk-9f8e7d6c-only-the-shop-knows';
/** Any longer part of it gives it away. */
const PARTS = /tk-9f8|only-the|shop-knows/;
const REDACTED = '[redacted: SHOP_TOKEN of the server]';

const charge = (id: string) => ({ id, name: 'charge', arguments: { what: id } });
const count = (id: string) => ({ id, name: 'calculator', arguments: { expression: `6*${id[1]}` } });

const CHILD = 'You are a child.';
const TRIPPING: FakeTurn = { text: 'TRIP over this.' };

/** A call that is paid; one that is refused, beside two that run; an answer with a secret in it. */
const SHOPPING: readonly FakeTurn[] = [
  { calls: [charge('paid')] },
  { calls: [count('c1'), charge('refused'), count('c2')] },
  { text: `The key is ${SECRET}, they say.` },
];

/**
 * The turn of a script that comes next in this conversation; a child of it says what is tripped on.
 */
function playing(turns: readonly FakeTurn[]): (body: ChatBody) => FakeTurn {
  return ({ messages }) => {
    if (messages.some(({ content }: ChatBody) => content === CHILD)) return TRIPPING;
    const played = messages.filter(({ role }: ChatBody) => role === 'assistant').length;
    return turns[played] ?? { text: 'Done.' };
  };
}

/** Where in the hooks, and in what was made, a process is killed. */
const MOMENTS: readonly (readonly [string, string])[] = [
  ['its resources are made', 'made'],
  ['a hook hears of the prompt', 'hook message user'],
  ['a hook hears of a message of the model', 'hook message assistant'],
  ['a hook has refused, and nobody knows yet', 'hook refuses call refused'],
  ['a hook hears of a result', 'hook message tool Charged'],
  ['a hook hears of a call', 'hook after call paid'],
  ['a hook hears of what it refused', 'hook after call refused'],
  ['its resources are disposed of', 'disposed'],
];

/** A POST that starts an interaction, and the same again. */
interface Beginning {
  readonly answer: Promise<Following>;
  readonly ask: () => Promise<Following>;
}

/** The state of a secret, and the turn that has come to it. */
const SECRETS: readonly (readonly [string, (gate: Gate) => FakeTurn])[] = [
  ['is being written', (gate) => ({ text: ['The key is ', SECRET.slice(0, 20), gate] })],
  ['was written', (gate) => ({ text: ['The key is ', SECRET, ', they', gate] })],
  ['was thought of', (gate) => ({ thinking: `Is it ${SECRET}?`, text: ['The key', gate] })],
];

const child = { name: 'agent', arguments: { prompt: CHILD, agent_type: 'witness' } };

/** What a guardrail trips on, once; the record that says so; what the model does. */
const TRIPS: readonly (readonly [string, RecordType, readonly FakeTurn[]])[] = [
  ['a message', 'STEP_COMPLETED', []],
  ['a turn', 'TURN_COMPLETED', [{ calls: [charge('paid')] }, TRIPPING]],
  ['a result', 'TOOL_RESULT', [{ calls: [charge('TRIP')] }]],
  [
    'an answer of a person',
    'INPUT_RECEIVED',
    [
      { calls: [charge('paid')] },
      { calls: [{ name: 'ask_human', arguments: { question: 'And now?' } }] },
    ],
  ],
  ['a turn of a child', 'TURN_COMPLETED', [{ calls: [child] }, { text: 'I do without it.' }]],
];

for (const { name, fault, create } of onOneStore(POSTGRES))
  (fault ? describe.skip : describe)(`Hooks, resources and guardrails on ${name}`, () => {
    let fake: FakeOpenAi;
    let data: ProcessData;
    let stand: WitnessStand;
    let server: ServerProcess;
    let api: ApiClient;
    let chats = 0;

    const start = async (): Promise<void> => {
      const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
      const env = { ...models, SHOP_TOKEN: SECRET, LEASE_TTL_MS: '4000', ...data.env };
      server = await ServerProcess.start(env, [
        await builtServer('dist/test/support/tools/witness-server.js'),
        ...stand.args,
      ]);
      api = await server.api();
    };
    const kill = async (): Promise<void> => {
      await server.kill('SIGKILL');
      expect(server.output).not.toMatch(PARTS);
    };
    /** In a chat of its own. A process that stands still may never answer. */
    const begin = (user_message: string): Beginning => {
      const chat = `chat-${++chats}`;
      const body = { user_message, agent: 'witness', approval_mode: 'auto' };
      const ask = async () =>
        new Following(api, await api.begin(chat, body, { 'idempotency-key': chat }));
      const answer = ask();
      answer.catch(() => {}); // awaited after the kill
      return { answer, ask };
    };
    /** Kills the server, and reads at the next one, to the end; asks again if it never answered. */
    const restart = async ({ answer, ask }: Beginning): Promise<Following> => {
      await kill();
      await stand.haltAt('');
      await start();
      const following = await answer.then((first) => first.resume(api), ask);
      await following.end();
      return following;
    };

    beforeAll(async () => {
      fake = await FakeOpenAi.start();
      data = await create();
      stand = await WitnessStand.open();
      await start();
    });
    beforeEach(() => stand.clear());
    afterEach(() => expect(fake.violations).toEqual([]));
    afterAll(async () => {
      await kill();
      await stand.close();
      await fake.stop();
      await data.remove();
    });

    /** That nobody was told the secret: no reader, however it was cut, no log and no model. */
    const expectUntold = async ({ frames, of }: Following, asked: number): Promise<void> => {
      const log = (await api.get(`/chats/${of.chat_id}/log`)).body;
      const sent = fake.requests.slice(asked).map(({ body }) => body);
      expect(JSON.stringify([frames, log, sent])).not.toMatch(PARTS);
      const texts = new Map<string, string>();
      for (const { data: event } of frames)
        if ('offset' in event)
          texts.set(event.block_id, (texts.get(event.block_id) ?? '') + event.delta);
      expect([...texts.values()].join('\n')).not.toMatch(PARTS);
    };
    const expectShopped = async (following: Following, asked: number): Promise<void> => {
      const { reader, of } = following;
      expect(reader.faults).toEqual([]);
      expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      const { messages } = await stateOf(api, of);
      expect(messages.slice(1).map(({ content }) => content)).toEqual([
        null,
        `Charged for paid with ${REDACTED}`,
        null,
        '6',
        'This call was refused: the account is empty.',
        '12',
        `The key is ${REDACTED}, they say. 1 charged.`,
      ]);
      expect(await stand.lines('charged')).toEqual(['charged for paid']);
      const results = reader.list('TOOL_RESULT').map(({ id }) => id);
      expect(results.toSorted()).toEqual(['c1', 'c2', 'paid', 'refused']);
      const begun = reader.list('TOOL_STARTED').map(({ id }) => id);
      expect(begun.filter((id) => !id.startsWith('c'))).toEqual(['paid']);
      expect(reader.list('TURN_COMPLETED')).toHaveLength(SHOPPING.length);
      await expectUntold(following, asked);
    };
    /** The last process told its hooks all that any other did, in the same order, and more. */
    const expectSameHooks = async (): Promise<void> => {
      const all = await stand.hooks();
      const last = all.at(-1)!;
      for (const earlier of all) expect(last.slice(0, earlier.length)).toEqual(earlier);
      expect(last[0]).toBe('hook message user Go');
      expect(last.at(-1)).toMatch(/^hook message assistant The key is .* 1 charged\.$/);
    };

    it.each(some(MOMENTS, 3))(
      'come to the same end, once each, when the server is killed while %s (I2, I3, I4)',
      async (_, haltAt) => {
        const asked = fake.requests.length;
        fake.otherwise(playing(SHOPPING));
        await stand.haltAt(haltAt);
        const beginning = begin('Go');
        await stand.wait(haltAt);
        const following = await restart(beginning);
        expect(following.reader.list('RESUMED')).toHaveLength(1);
        await expectShopped(following, asked);
        await expectSameHooks();
        expect(await stand.hooks()).toHaveLength(haltAt === 'made' ? 1 : 2);
        // Each process makes its own; a kill closes what it had, and the end what is left.
        expect(await stand.lines('made')).toHaveLength(2);
        await eventually(() => stand.closed === 2);
        expect(stand.opened).toBe(2);
      },
    );

    it.each(some(SECRETS, 2))(
      'show no part of a secret when the server is killed while it %s',
      async (_, cut) => {
        const asked = fake.requests.length;
        const gate = new Gate();
        const rest = [cut(gate)];
        fake.otherwise((body) => {
          const turn = playing(SHOPPING)(body);
          return turn === SHOPPING.at(-1) ? (rest.pop() ?? turn) : turn;
        });
        const beginning = begin('Go');
        await gate.reached;
        const following = await beginning.answer;
        await following.event('TEXT_DELTA');
        await restart(beginning);
        await expectShopped(following, asked);
        await expectSameHooks();
      },
    );

    it.each(some(TRIPS, 2))(
      'that have tripped on %s end the run when the server is killed before the end is written (I3)',
      async (what, type, turns) => {
        const asked = fake.requests.length;
        fake.otherwise(playing(turns));
        await stand.haltAt('ending');
        const beginning = begin(what === 'a message' ? 'TRIP over this.' : 'Go');
        if (what.startsWith('an answer')) {
          const following = await beginning.answer;
          const { request_id } = await following.record('INPUT_REQUIRED');
          void new Person(() => api).respond(following.of, request_id, 'TRIP').catch(() => {});
        }
        await stand.wait('ending');
        const before = fake.requests.length;
        const charged = await stand.lines('charged');
        const following = await restart(beginning);
        const { reader } = following;
        expect(reader.faults).toEqual([]);
        expect(reader.list('RESUMED')).toHaveLength(1);
        expect(reader.types[reader.types.indexOf('RESUMED') - 1]).toBe(type);
        expect(reader.list('ERROR')).toMatchObject([
          { code: 'guardrail', message: 'The guardrail once stopped this run: new' },
        ]);
        expect(reader.records.at(-1)).toMatchObject({ status: 'FAILED' });
        expect(reader.find('ANSWER')).toBeUndefined();
        expect(fake.requests).toHaveLength(before);
        expect(await stand.lines('tripped')).toHaveLength(1);
        expect(await stand.lines('charged')).toEqual(charged);
        await stateOf(api, following.of);
        await expectUntold(following, asked);
      },
    );
  });

async function stateOf(api: ApiClient, of: Pick<Interaction, 'chat_id' | 'id'>) {
  const { final_agent_state } = await api.interaction(of);
  const messages = final_agent_state?.messages ?? [];
  expect(checkConversation(messages)).toEqual([]);
  return { messages };
}
