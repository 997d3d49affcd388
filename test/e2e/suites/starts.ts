import { eventually } from '../../support/eventually.js';
import { EventReader } from '../../support/client/event-reader.js';
import { Gate } from '../../support/gate.js';
import { resumeAfterEach } from '../../support/client/resume-after-each.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import type { Servers } from '../servers.js';

/** Of the clock that the tests move; the lease of a run outlasts it. */
const GRACE_MS = 60_000;
const JSON_TYPE = { accept: 'application/json' };

export function describeStarts(servers: Servers): void {
  describe('An Idempotency-Key', () => {
    servers.run({}, (server) => {
      it('gives the same body the same interaction, from record 1, while it runs and after its end', async () => {
        const gate = new Gate();
        server.fake.reply({ text: ['Once', gate, ' only.'] });
        const key = { 'idempotency-key': 'once' };
        const first = await server.api.stream('same', 'Do it', key);
        await gate.reached;
        const second = await server.api.stream('same', 'Do it', key);
        const background = await server.api.begin('same', 'Do it', key);
        gate.open();
        const third = new EventReader();
        const [one, two] = await Promise.all(
          [first, second].map((stream) => new EventReader().readAll(stream)),
        );
        await third.readAll(await server.api.stream('same', { user_message: 'Do it' }, key));
        for (const reader of [one!, two!, third]) {
          expect(reader.faults).toEqual([]);
          expect(reader.records).toEqual(one!.records);
        }
        expect(background.id).toBe(one!.records[0]!.interaction_id);
        expect((await server.api.get('/chats/same')).body.interactions).toHaveLength(1);
      });

      it('starts one interaction for 20 requests at once', async () => {
        const asked = server.fake.requests.length;
        const started = await Promise.all(
          Array.from({ length: 20 }, () =>
            server.api.begin('crowd', 'Do it', { 'idempotency-key': 'crowd' }),
          ),
        );
        expect(new Set(started.map(({ id }) => id)).size).toBe(1);
        const reader = await server.api.follow(started[0]!);
        expect(reader.faults).toEqual([]);
        expect(server.fake.requests.length - asked).toBe(1);
      });

      it('is refused with another body', async () => {
        const key = { 'idempotency-key': 'other-body' };
        await server.api.say(
          'other-body',
          { user_message: 'Do it', metadata: { a: 1, b: 2 } },
          key,
        );
        const same = await server.api.begin(
          'other-body',
          { metadata: { b: 2, a: 1 }, user_message: 'Do it' },
          key,
        );
        const other = await server.api.post(
          '/chats/other-body/interactions',
          { user_message: 'Do that' },
          key,
        );
        expect(same.status).toBe('COMPLETED');
        expect(other.status).toBe(422);
        expect(other.body).toMatchObject({ type: '/problems/idempotency_key_reused', status: 422 });
      });

      it('is refused with a list in the place of an object', async () => {
        const key = { 'idempotency-key': 'shapes' };
        const start = (metadata: object) =>
          server.api.post(
            '/chats/shapes/interactions',
            { user_message: 'Do it', metadata },
            { ...JSON_TYPE, ...key },
          );
        const first = await start({ tags: { a: 1 } });
        expect((await start({ tags: [['a', 1]] })).status).toBe(422);
        expect((await start({ tags: { a: 1 } })).body.id).toBe(first.body.id);
        await server.api.follow(first.body);
      });

      it('is looked at before whether the chat is busy', async () => {
        const gate = new Gate();
        await server.api.say('before', 'First', { 'idempotency-key': 'first' });
        server.fake.reply({ text: [gate, 'Done'] });
        const running = await server.api.begin('before', 'Second');
        const again = await server.api.begin('before', 'First', { 'idempotency-key': 'first' });
        expect(again).toMatchObject({ user_message: 'First', status: 'COMPLETED' });
        gate.open();
        await server.api.follow(running);
      });

      it('means something in its own chat only', async () => {
        const key = { 'idempotency-key': 'shared' };
        const [a, b] = [
          await server.api.begin('a', 'Hi', key),
          await server.api.begin('b', 'Hi', key),
        ];
        expect(a.id).not.toBe(b.id);
        await Promise.all([a, b].map((of) => server.api.follow(of)));
      });

      it.each(['', 'with spaces', 'x'.repeat(256)])('is refused when it is %j', async (key) => {
        const reply = await server.api.post(
          '/chats/odd-key/interactions',
          { user_message: 'Hi' },
          { 'idempotency-key': key },
        );
        expect(reply.status).toBe(400);
        expect(reply.body.errors).toEqual([
          { field: 'Idempotency-Key', message: expect.any(String) },
        ]);
        expect((await server.api.get('/chats/odd-key')).status).toBe(404);
      });
    });
  });

  describe('A chat', () => {
    servers.run({}, (server) => {
      it('takes one interaction at a time and tells which one it is busy with (I9)', async () => {
        const gate = new Gate();
        server.fake.reply({ text: [gate, 'Done'] });
        const running = await server.api.begin('busy', 'First');
        for (const headers of [{}, JSON_TYPE]) {
          const reply = await server.api.post(
            '/chats/busy/interactions',
            { user_message: 'Second' },
            headers,
          );
          expect(reply.status).toBe(409);
          expect(reply.headers.get('content-type')).toMatch('application/problem+json');
          expect(reply.body).toMatchObject({
            type: '/problems/chat_busy',
            status: 409,
            active_interaction_id: running.id,
          });
        }
        gate.open();
        await server.api.follow(running);
        expect((await server.api.get('/chats/busy')).body.interactions).toHaveLength(1);
      });

      it('starts one of many interactions that come at once', async () => {
        const gate = new Gate();
        server.fake.reply({ text: [gate, 'Done'] });
        const replies = await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            server.api.post(
              '/chats/race/interactions',
              { user_message: `Message ${n}` },
              JSON_TYPE,
            ),
          ),
        );
        const started = replies.filter(({ status }) => status === 202);
        expect(started).toHaveLength(1);
        expect(replies.filter(({ status }) => status === 409)).toHaveLength(9);
        gate.open();
        await server.api.follow(started[0]!.body);
      });

      it('is free as soon as a reader sees interaction_complete', async () => {
        for (let n = 0; n < 20; n++) {
          const stream = await server.api.stream('free', `Message ${n}`);
          expect(stream.status).toBe(200);
          for await (const { event } of stream) if (event === 'interaction_complete') break;
        }
        expect((await server.api.get('/chats/free')).body.interactions).toHaveLength(20);
      });

      it('remembers the conversation, tools and all', async () => {
        server.fake.reply(
          { calls: [{ id: 'call_a', name: 'calculator', arguments: { expression: '6*7' } }] },
          { text: 'It is 42.' },
          { text: 'As I said.' },
        );
        const [first, second] = [
          await server.api.say('memory', 'What is 6*7?'),
          await server.api.say('memory', 'Sure?'),
        ];
        expect(second.records[0]).toMatchObject({ parent_id: first.records[0]!.interaction_id });
        expect(server.fake.requests.at(-1)!.body['messages']).toEqual([
          { role: 'user', content: 'What is 6*7?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: 'call_a',
                type: 'function',
                function: { name: 'calculator', arguments: '{"expression":"6*7"}' },
              },
            ],
          },
          { role: 'tool', tool_call_id: 'call_a', content: '42' },
          { role: 'assistant', content: 'It is 42.' },
          { role: 'user', content: 'Sure?' },
        ]);
        const { interactions } = (await server.api.get('/chats/memory')).body;
        expect(interactions[1].final_agent_state.messages).toEqual([
          ...server.fake.requests.at(-1)!.body['messages'],
          { role: 'assistant', content: 'As I said.' },
        ]);
      });

      it('lets an interaction choose its model and its agent', async () => {
        const { records } = await server.api.say('choice', {
          user_message: 'Hi',
          model: 'openai/other',
          agent: 'react',
        });
        expect(records[0]).toMatchObject({ model: 'openai/other', agent: 'react' });
        expect(server.fake.requests.at(-1)!.body['model']).toBe('other');
      });
    });
  });

  describe('An interaction whose reader leaves', () => {
    const env = { DISCONNECT_GRACE_MS: String(GRACE_MS), LEASE_TTL_MS: '86400000' };
    servers.run(env, (server) => {
      /** Starts one whose answer waits half way, with a reader that leaves there. */
      const startAndLeave = async (chat: string, body: object = {}) => {
        const gate = new Gate();
        server.fake.reply({ text: ['Half', gate, ' whole'] });
        const asked = server.fake.requests.length + 1;
        const reader = new EventReader();
        const frames: EventFrame[] = [];
        for await (const frame of await server.api.stream(chat, { user_message: 'Go', ...body })) {
          frames.push(frame);
          if (reader.read(frame).openText === 'Half') break;
        }
        const of = { chat_id: chat, id: reader.records[0]!.interaction_id };
        return { of, gate, request: await server.fake.request(asked), reader, frames };
      };

      /** The grace begins when the server knows. */
      const left = ({ id }: { id: string }) => eventually(() => server.isUnread(id));

      it('is cancelled after the grace, and keeps what it has said', async () => {
        const { of, request, reader, frames } = await startAndLeave('alone');
        await left(of);
        server.clock.pass(GRACE_MS);
        expect(await request.ended).toBe('closed');
        await server.api.follow(of, undefined, reader);
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'ANSWER',
          'CANCELLED',
          'INTERACTION_COMPLETE',
        ]);
        expect(reader.find('ANSWER')).toMatchObject({ content: 'Half', partial: true });
        expect(reader.find('CANCELLED')).toMatchObject({
          reason: expect.any(String),
          stopped: [{ kind: 'model', name: 'openai/fake', state: 'stopped' }],
        });
        for (const again of await resumeAfterEach(server.api, of, frames)) {
          expect(again.faults).toEqual([]);
          expect(again.records).toEqual(reader.records);
        }
        expect(await server.api.interaction(of)).toMatchObject({
          status: 'CANCELLED',
          final_agent_state: {
            messages: [
              { role: 'user', content: 'Go' },
              { role: 'assistant', content: 'Half' },
            ],
          },
        });
        expect(
          (await server.api.say('alone', 'And now?')).find('INTERACTION_COMPLETE'),
        ).toMatchObject({ status: 'COMPLETED' });
      });

      it('goes on where it was asked to, where it runs in the background, and where its reader comes back', async () => {
        const asked = await startAndLeave('asked', { on_disconnect: 'continue' });
        const back = await startAndLeave('back');
        await left(back.of);
        const comeBack = server.api.follow(back.of, undefined, back.reader);
        await eventually(() => server.readersOf(back.of.id) === 1);
        const gate = new Gate();
        server.fake.reply({ text: ['Half', gate, ' whole'] });
        const background = await server.api.begin('unread', 'Go');
        await gate.reached;
        // By the time that this one is cancelled, so would the others be.
        const alone = await startAndLeave('clock');
        for (const { of } of [asked, alone]) await left(of);
        server.clock.pass(GRACE_MS);
        await alone.request.ended;
        for (const waiting of [asked.gate, back.gate, gate]) waiting.open();
        const readers = await Promise.all([
          server.api.follow(asked.of),
          comeBack,
          server.api.follow(background),
        ]);
        for (const reader of readers) {
          expect(reader.faults).toEqual([]);
          expect(reader.find('ANSWER')).toMatchObject({ content: 'Half whole' });
        }
        await server.api.follow(alone.of);
      });
    });
  });
}
