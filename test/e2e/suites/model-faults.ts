import type { Environment } from '../../../src/config/load-config.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import { EventReader } from '../../support/client/event-reader.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import { delta } from '../../support/model/fake-openai-turn.js';
import { Gate } from '../../support/gate.js';
import { resumeAfterEach } from '../../support/client/resume-after-each.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import { KEY } from '../../support/server/test-server.js';
import type { TestServer } from '../../support/server/test-server.js';
import type { Servers } from '../servers.js';
import type { OpenStore } from '../stores.js';

interface Fault {
  readonly name: string;
  /** What the API does each time; without, there is none. */
  readonly turn?: FakeTurn;
  readonly code: string;
  readonly message: RegExp;
}

/** The discard port, where nobody listens. */
const NOWHERE = 'http://127.0.0.1:9/v1';
const HANGING: FakeTurn = { hang: true };
const NO_RETRY = { 'x-should-retry': 'false' };
const FAULTS: readonly Fault[] = [
  {
    name: 'refuses the key and echoes it',
    turn: { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}.` } } },
    code: 'model_auth',
    message: /OPENAI_API_KEY/,
  },
  {
    name: 'refuses the request',
    turn: { status: 400, body: { error: { message: 'The image is upside down' } } },
    code: 'model_refused',
    message: /The image is upside down/,
  },
  {
    name: 'answers HTML',
    turn: {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: `<html>Welcome, ${KEY}</html>`,
    },
    code: 'model_bad_response',
    message: /OPENAI_BASE_URL/,
  },
  {
    name: 'has an error page',
    turn: {
      status: 502,
      headers: { ...NO_RETRY, 'content-type': 'text/html' },
      body: '<h1>Bad gateway</h1>',
    },
    code: 'model_overloaded',
    message: /502/,
  },
  {
    name: 'reports an error in the middle of a stream',
    turn: {
      steps: [
        delta({ role: 'assistant', content: 'Half' }),
        {
          data: {
            error: { message: `Context of ${KEY} too long`, code: 'context_length_exceeded' },
          },
        },
      ],
    },
    code: 'context_overflow',
    message: /too long/,
  },
  {
    name: 'hangs',
    turn: HANGING,
    code: 'model_timeout',
    message: /sent nothing for 0\.2 s/,
  },
  {
    name: 'closes the connection in the middle of each answer',
    turn: { text: ['Half an ans', { cut: true }] },
    code: 'model_cut_off',
    message: /middle of its answer/,
  },
  {
    name: 'is not there',
    code: 'model_unreachable',
    message: /127\.0\.0\.1:9\b.*ECONNREFUSED.*OPENAI_BASE_URL/,
  },
];

export function describeModelFaults(servers: Servers): void {
  describe('An interaction whose model API', () => {
    servers.run({}, (server) => {
      const readers = new Map<string, EventReader>();
      const shown = new Map<string, readonly EventFrame[]>();
      /** Of the server on whose store it happened. */
      const apis = new Map<string, ApiClient>();
      const others: [TestServer, OpenStore][] = [];
      const meet = async (fault: Fault, { api }: Pick<TestServer, 'api'>): Promise<void> => {
        const { name } = fault;
        const frames = await (await api.stream(`fault-${FAULTS.indexOf(fault)}`, name)).all();
        apis.set(name, api);
        shown.set(name, frames);
        readers.set(name, await new EventReader().readAll(frames));
      };
      /**
       * At a server of its own, with a store of its own: nobody else shall run what it began. It is
       * well afterwards.
       */
      const meetApart = async (fault: Fault, env: Environment): Promise<void> => {
        const { fake } = server;
        const opened = await servers.open();
        const unwell = await servers.start(opened.stores, { env, fake, clock: server.clock });
        await meet(fault, unwell);
        await unwell.close();
        const well = await servers.start(opened.stores, { fake });
        apis.set(fault.name, well.api);
        others.push([well, opened]);
      };

      // All at once, because some are tried again.
      beforeAll(async () => {
        server.clock.skipsSleep = true;
        server.fake.otherwise(({ messages }) => turnFor(messages.at(-1).content));
        await Promise.all(
          FAULTS.map((fault) => {
            if (!fault.turn) return meetApart(fault, { OPENAI_BASE_URL: NOWHERE });
            if (fault.turn === HANGING) return meetApart(fault, { MODEL_TIMEOUT_MS: '200' });
            return meet(fault, server);
          }),
        );
      });
      afterAll(async () => {
        for (const [other, opened] of others) {
          await other.close();
          await opened.close();
        }
      });

      it.each(FAULTS)(
        '$name ends FAILED with an error that says so',
        async ({ name, code, message }) => {
          const reader = readers.get(name)!;
          expect(reader.faults).toEqual([]);
          expect(reader.types.slice(-2)).toEqual(['ERROR', 'INTERACTION_COMPLETE']);
          expect(reader.find('ERROR')).toMatchObject({
            code,
            message: expect.stringMatching(message),
          });
          expect(reader.records.at(-1)).toMatchObject({ status: 'FAILED' });
          expect(reader.records.findLast(({ type }) => type === 'TURN_COMPLETED')).toMatchObject({
            finish_reason: 'error',
            error: { code },
          });
          expect(JSON.stringify(reader.records)).not.toContain(KEY);
        },
      );

      it.each(FAULTS)(
        '$name can be read again from wherever, and keeps a state from which the chat goes on',
        async ({ name, code }) => {
          const api = apis.get(name)!;
          const { chat_id, interaction_id: id } = readers.get(name)!.find('INTERACTION_STARTED')!;
          const of = { chat_id, id };
          const interaction = await api.interaction(of);
          expect(interaction).toMatchObject({ status: 'FAILED', error: { code } });
          expect(checkConversation(interaction.final_agent_state!.messages)).toEqual([]);
          expect(JSON.stringify(interaction)).not.toContain(KEY);
          for (const again of await resumeAfterEach(api, of, shown.get(name)!)) {
            expect(again.faults).toEqual([]);
            expect(again.records).toEqual(readers.get(name)!.records);
          }
          const next = await api.say(of.chat_id, 'And now?');
          expect(next.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        },
      );
    });
  });

  describe('A model API that recovers', () => {
    servers.run({}, (server) => {
      beforeAll(() => {
        server.clock.skipsSleep = true;
      });

      it('is asked again before its first word, which readers are told', async () => {
        server.fake.reply(
          { status: 503, body: { error: { message: 'Overloaded' } } },
          { text: 'Here I am.' },
        );
        const reader = await server.api.say('before-a-word', 'Hello?');
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'NOTICE',
          'ANSWER',
          'TURN_COMPLETED',
          'INTERACTION_COMPLETE',
        ]);
        expect(reader.find('NOTICE')).toMatchObject({
          code: 'model_retry',
          message: expect.stringContaining('503'),
        });
        expect(reader.find('NOTICE')).not.toHaveProperty('void');
      });

      it('is told of a call without a name, and the chat goes on', async () => {
        server.fake.reply(
          { calls: [{ id: 'c1', name: '', arguments: { x: 1 } }] },
          { text: 'I meant nothing.' },
        );
        const reader = await server.api.say('nameless-call', 'Hello?');
        expect(reader.find('ANSWER')).toMatchObject({ content: 'I meant nothing.' });
        const next = await server.api.say('nameless-call', 'And now?');
        expect(next.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        expect(server.fake.violations).toEqual([]);
      });

      it('is asked again in the middle of its answer, whose first try is void', async () => {
        const gate = new Gate();
        server.fake.reply(
          { thinking: 'Hm.', text: ['Half', gate, { cut: true }] },
          { text: 'The whole answer.' },
        );
        const reader = new EventReader();
        const frames: EventFrame[] = [];
        for await (const frame of await server.api.stream('middle', 'Hello?')) {
          frames.push(frame);
          if (reader.read(frame).openText === 'Hm.Half') gate.open();
        }
        expect(reader.faults).toEqual([]);
        const deltas = frames
          .slice(
            0,
            frames.findIndex(({ event }) => event === 'notice'),
          )
          .slice(1);
        const shown = new Set(deltas.map(({ data }) => 'offset' in data && data.block_id));
        expect(reader.find('NOTICE')).toMatchObject({ code: 'model_retry', void: [...shown] });
        expect(reader.find('ANSWER')).toMatchObject({ content: 'The whole answer.' });
        expect(shown).not.toContain(reader.find('ANSWER')!.block_id);
        const of = { chat_id: 'middle', id: reader.records[0]!.interaction_id };
        for (const again of await resumeAfterEach(server.api, of, frames)) {
          expect(again.faults).toEqual([]);
          expect(again.records).toEqual(reader.records);
        }
        expect(await server.api.interaction(of)).toMatchObject({
          final_agent_state: {
            messages: [
              { role: 'user', content: 'Hello?' },
              { role: 'assistant', content: 'The whole answer.' },
            ],
          },
        });
      });
    });
  });
}

function turnFor(message: string): FakeTurn {
  return FAULTS.find(({ name }) => name === message)?.turn ?? { text: 'All is well again.' };
}
