import { eventually } from '../../support/eventually.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;

/** Of the clock that the tests move; the lease of a run outlasts it. */
const TIMEOUT_MS = 60_000;
const EXPIRING = { APPROVAL_TIMEOUT_MS: String(TIMEOUT_MS), LEASE_TTL_MS: '86400000' };

const askHuman = (question: string, options?: string[]) => ({
  name: 'ask_human',
  arguments: { question, ...(options && { options }) },
});

export function describeQuestions(servers: Servers): void {
  describe('A question', () => {
    withPeople(servers, {}, (server, person) => {
      const statusOf = async (of: Interacted) => (await server.api.interaction(of)).status;

      it('of the model shows in the stream and in the inbox, and its answer reaches the model', async () => {
        const following = await person.say(
          'model',
          script({ calls: [askHuman('Which color?', ['red', 'blue'])] }),
        );
        const asked = await following.record('INPUT_REQUIRED');
        const { id: tool_call_id } = await following.record('TOOL_CALL');
        const event = {
          request_id: expect.stringMatching(/^input_/),
          question: 'Which color?',
          options: ['red', 'blue'],
          tool_call_id,
          expires_at: null,
        };
        expect(asked).toMatchObject(event);
        expect(await statusOf(following.of)).toBe('WAITING_INPUT');
        expect((await person.inbox('status=pending&chat_id=model')).body.items).toEqual([
          {
            ...event,
            id: asked.request_id,
            kind: 'input',
            status: 'pending',
            chat_id: 'model',
            interaction_id: following.of.id,
            agent_id: asked.agent_id,
            created_at: expect.any(String),
            settled_at: null,
            settlement: null,
          },
        ]);
        const reply = await person.respond(following.of, asked.request_id, 'green');
        expect([reply.status, reply.body]).toEqual([
          200,
          { status: 'processed', request_id: asked.request_id },
        ]);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('INPUT_RECEIVED')).toMatchObject({
          request_id: asked.request_id,
          answer: 'green',
        });
        expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: 'green', is_error: false });
        expect(server.fake.requests.at(-1)!.body['messages'].at(-1)).toMatchObject({
          role: 'tool',
          content: 'green',
        });
        expect(await statusOf(following.of)).toBe('COMPLETED');
      });

      it('can be declined, and the model is told so', async () => {
        const following = await person.say('declined', script({ calls: [askHuman('Why?')] }));
        const { request_id, ...asked } = await following.record('INPUT_REQUIRED');
        expect(asked).not.toHaveProperty('options');
        expect((await person.respond(following.of, request_id, null)).status).toBe(200);
        const reader = await following.end();
        expect(reader.find('INPUT_RECEIVED')).toMatchObject({ answer: null });
        expect(reader.find('TOOL_RESULT')?.tool_output).toMatch(/declined/);
      });

      it('may be answered with nothing at all, and with much', async () => {
        const answers = ['', 'ä\u0001\ud83d\ude00\n'.repeat(10_000)];
        for (const [n, answer] of answers.entries()) {
          const following = await person.say(`odd-${n}`, script({ calls: [askHuman('Well?')] }));
          const { request_id } = await following.record('INPUT_REQUIRED');
          expect((await person.respond(following.of, request_id, answer)).status).toBe(200);
          expect((await following.end()).find('INPUT_RECEIVED')).toMatchObject({ answer });
        }
      });

      it('of an agent waits as one of the model does', async () => {
        const following = await person.say('agent', { user_message: 'Hi', agent: 'asker' });
        for (const [n, answer] of ['Ada', 'red'].entries()) {
          const { request_id } = await following.record('INPUT_REQUIRED', n + 1);
          expect(await statusOf(following.of)).toBe('WAITING_INPUT');
          await person.respond(following.of, request_id, answer);
        }
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'INPUT_REQUIRED',
          'INPUT_RECEIVED',
          'INPUT_REQUIRED',
          'INPUT_RECEIVED',
          'ANSWER',
          'INTERACTION_COMPLETE',
        ]);
        expect(reader.list('INPUT_REQUIRED')[1]).toMatchObject({ options: ['red', 'blue'] });
        expect(reader.find('ANSWER')).toMatchObject({ content: 'Ada likes red.' });
      });

      it('inside a tool is one of several that it asks', async () => {
        const calls = [{ name: 'interview', arguments: { questions: ['One?', 'Two?', 'Three?'] } }];
        const following = await person.say('tool', script({ calls }));
        for (const [n, answer] of ['1', null, '3'].entries()) {
          const { request_id } = await following.record('INPUT_REQUIRED', n + 1);
          await person.respond(following.of, request_id, answer);
        }
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: '["1",null,"3"]' });
      });

      it('is answered once, and under its own interaction and kind only (I5)', async () => {
        const following = await person.say('once', script({ calls: [askHuman('Well?')] }));
        const other = await person.say('elsewhere', script({ calls: [askHuman('Well?')] }));
        const { request_id } = await following.record('INPUT_REQUIRED');
        const strayed = [
          await person.respond(other.of, request_id, 'x'),
          await person.respond({ ...following.of, chat_id: 'elsewhere' }, request_id, 'x'),
          await person.approve(following.of, request_id),
          await person.respond(following.of, 'input_unknown', 'x'),
        ];
        for (const { status, body } of strayed)
          expect([status, body.type]).toEqual([404, '/problems/request_not_found']);
        const replies = await Promise.all(
          ['a', 'b', 'c'].map((answer) => person.respond(following.of, request_id, answer)),
        );
        expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
          200, 400, 400,
        ]);
        const first = ['a', 'b', 'c'][replies.findIndex(({ status }) => status === 200)];
        expect((await following.end()).find('INPUT_RECEIVED')).toMatchObject({ answer: first });
        const late = await person.respond(following.of, request_id, 'd');
        expect([late.status, late.body.type]).toEqual([400, '/problems/already_processed']);
        await person.cancel(other.of);
        await other.end();
      });

      it.each([
        ['no answer', { request_id: 'input_1' }],
        ['no id', { answer: 'x' }],
        ['an answer that is no text', { request_id: 'input_1', answer: 7 }],
        ['an answer without end', { request_id: 'input_1', answer: 'x'.repeat(100_001) }],
        ['an answer with U+0000', { request_id: 'input_1', answer: '\u0000' }],
      ])('does not take %s', async (_, body) => {
        const reply = await person.act({ chat_id: 'a', id: 'int_a' }, 'respond', body);
        expect(reply.status).toBe(400);
        expect(reply.headers.get('content-type')).toMatch('application/problem+json');
      });
    });
  });

  describe('A request that nobody settles in time', () => {
    withPeople(servers, EXPIRING, (server, person) => {
      const calculation = { name: 'calculator', arguments: { expression: '6*7' } };

      it('is settled by "timeout", and the model is told what is true', async () => {
        const approving = await person.say('approval', script({ calls: [calculation] }));
        const { approval_id, expires_at, at } = await approving.record('APPROVAL_REQUIRED');
        const { items } = (await person.inbox('status=pending&chat_id=approval')).body;
        expect(items).toMatchObject([{ id: approval_id, expires_at }]);
        expect(Date.parse(expires_at!) - Date.parse(at)).toBeGreaterThan(TIMEOUT_MS / 2);
        expect(Date.parse(expires_at!) - Date.parse(at)).toBeLessThan(TIMEOUT_MS * 2);
        const answering = await person.say('input', script({ calls: [askHuman('Well?')] }));
        const { request_id } = await answering.record('INPUT_REQUIRED');

        await server.expire(TIMEOUT_MS);
        const [approval, input] = [await approving.end(), await answering.end()];
        expect([...approval.faults, ...input.faults]).toEqual([]);
        expect(approval.find('REJECTED')).toMatchObject({
          approval_id,
          by: { kind: 'system' },
          cause: 'timeout',
        });
        expect(approval.types).not.toContain('TOOL_STARTED');
        const told = approval.find('TOOL_RESULT')!;
        expect(told).toMatchObject({ is_error: true });
        expect(told.tool_output).toMatch(/in time/);
        expect(told.tool_output).not.toMatch(/user rejected/);
        expect(Date.parse(told.at)).toBeGreaterThanOrEqual(Date.parse(expires_at!));
        expect(input.find('INPUT_RECEIVED')).toMatchObject({ request_id, answer: null });
        for (const { of } of [approving, answering])
          expect((await server.api.interaction(of)).status).toBe('COMPLETED');
        const late = await person.approve(approving.of, approval_id);
        expect(late.status).toBe(400);
        expect((await person.inbox('status=pending')).body.items).toEqual([]);
      });

      it('of a tool that the client runs is a failed call, and its late result is not taken', async () => {
        const client_tools = [
          { name: 'open_door', description: 'Opens.', input_schema: { type: 'object' } },
        ];
        const user_message = script({ calls: [{ name: 'open_door', arguments: {} }] });
        const following = await person.say('client', { user_message, client_tools });
        const { of } = following;
        const { tool_call_id, request_id, at } = await following.record('TOOL_RESULT_REQUIRED');
        const [item] = (await person.inbox('status=pending&chat_id=client')).body.items;
        expect(item).toMatchObject({ id: request_id, kind: 'tool' });
        const left = Date.parse(item.expires_at) - Date.parse(at);
        expect([left > TIMEOUT_MS / 2, left < TIMEOUT_MS * 2]).toEqual([true, true]);
        await server.expire(TIMEOUT_MS);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          id: tool_call_id,
          is_error: true,
          tool_output: expect.stringContaining('did not send a result in time'),
        });
        expect((await server.api.interaction(of)).status).toBe('COMPLETED');
        const { items } = (await person.inbox('status=all&chat_id=client')).body;
        expect(items).toMatchObject([
          { status: 'settled', settlement: { by: { kind: 'system' }, cause: 'timeout' } },
        ]);
        const late = await person.toolResult(of, { tool_call_id, tool_output: 'open' });
        expect([late.status, late.body.type]).toEqual([400, '/problems/already_processed']);
      });

      it('takes no answer once its time is over, even before it is settled so', async () => {
        const following = await person.say('late', script({ calls: [calculation] }));
        const { approval_id, expires_at } = await following.record('APPROVAL_REQUIRED');
        server.clock.pass(TIMEOUT_MS);
        expect(server.clock.now().getTime()).toBeGreaterThan(Date.parse(expires_at!));
        const reply = await person.approve(following.of, approval_id);
        expect(reply.status).toBe(400);
        expect(['/problems/request_expired', '/problems/already_processed']).toContain(
          reply.body.type,
        );
        await server.expire(0);
        expect((await following.end()).find('REJECTED')).toMatchObject({
          by: { kind: 'system' },
          cause: 'timeout',
        });
      });
    });

    withPeople(servers, { ...EXPIRING, PARK_AFTER_MS: '0' }, (server, person) => {
      it('is settled where its run is parked, too', async () => {
        const following = await person.say('parked', script({ calls: [askHuman('Well?')] }));
        await following.record('INPUT_REQUIRED');
        await eventually(() => !server.runs(following.of.id));
        await server.expire(TIMEOUT_MS);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).not.toContain('RESUMED');
        expect(reader.find('INPUT_RECEIVED')).toMatchObject({ answer: null });
      });
    });
  });
}
