import { EXHAUSTIVE } from '../../support/thoroughness.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import type { EventReader } from '../../support/client/event-reader.js';
import { DeedTool } from '../../support/runs/human-test.module.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const calculate = (expression: string) => ({ name: 'calculator', arguments: { expression } });
const ONE_CALL = script({ calls: [calculate('6*7')] });

export function describeApprovals(servers: Servers): void {
  describe('An approval', () => {
    withPeople(servers, {}, (server, person) => {
      /** Starts an interaction whose calls wait to be approved. */
      const ask = async (chat: string, user_message = ONE_CALL, calls = 1) => {
        const following = await person.say(chat, user_message);
        await following.record('APPROVAL_REQUIRED', calls);
        const asked = following.reader.list('APPROVAL_REQUIRED');
        return { following, of: following.of, asked, approval: asked[0]!.approval_id };
      };
      const statusOf = async (of: { chat_id: string; id: string }) =>
        (await server.api.interaction(of)).status;
      const messagesOf = async (of: { chat_id: string; id: string }) => {
        const { messages } = (await server.api.interaction(of)).final_agent_state!;
        expect(checkConversation(messages)).toEqual([]);
        return messages;
      };

      it('says what it is about, in the stream and in the inbox, and holds the call back', async () => {
        const { following, of, asked } = await ask('seen');
        const [call] = following.reader.list('TOOL_CALL');
        const event = {
          approval_id: expect.stringMatching(/^approval_/),
          tool_call_id: call!.id,
          tool_name: 'calculator',
          tool_input: '{"expression":"6*7"}',
          action: 'Call calculator with {"expression":"6*7"}',
          category: 'compute',
          risk: 'low',
          reason: expect.any(String),
          expires_at: null,
        };
        expect(asked[0]).toMatchObject({ type: 'APPROVAL_REQUIRED', ...event });
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        expect((await person.inbox('status=pending&chat_id=seen')).body).toEqual({
          items: [
            {
              ...event,
              id: asked[0]!.approval_id,
              kind: 'approval',
              status: 'pending',
              chat_id: 'seen',
              interaction_id: of.id,
              agent_id: asked[0]!.agent_id,
              created_at: expect.any(String),
              settled_at: null,
              settlement: null,
            },
          ],
          next_cursor: null,
        });
        expect(following.reader.types).not.toContain('TOOL_STARTED');
        await person.cancel(of);
        await following.end();
      });

      it('lets the call run, once it is given', async () => {
        const { following, of, approval } = await ask('given');
        const reply = await person.approve(of, approval, { reason: 'Sure' });
        expect([reply.status, reply.body]).toEqual([
          200,
          { status: 'processed', approval_id: approval, approved: true },
        ]);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'TOOL_CALL',
          'TURN_COMPLETED',
          'APPROVAL_REQUIRED',
          'APPROVED',
          'TOOL_STARTED',
          'TOOL_RESULT',
          'ANSWER',
          'TURN_COMPLETED',
          'INTERACTION_COMPLETE',
        ]);
        expect(reader.find('APPROVED')).toMatchObject({
          approval_id: approval,
          tool_call_id: reader.find('TOOL_CALL')!.id,
          by: { kind: 'user', user_id: 'local' },
          reason: 'Sure',
        });
        expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: '42', is_error: false });
        expect(await statusOf(of)).toBe('COMPLETED');
        await messagesOf(of);
      });

      it('runs what the person made of the call, and the model sees that', async () => {
        const { following, of, approval } = await ask('changed-input');
        const modified_input = { expression: '6*8' };
        expect((await person.approve(of, approval, { modified_input })).status).toBe(200);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('TOOL_CALL')).toMatchObject({ tool_input: '{"expression":"6*7"}' });
        expect(reader.find('APPROVED')).toMatchObject({ modified_input });
        expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: '48' });
        const ran = { function: { name: 'calculator', arguments: '{"expression":"6*8"}' } };
        const [, call, result] = await messagesOf(of);
        expect([call, result]).toMatchObject([{ tool_calls: [ran] }, { content: '48' }]);
        expect(lastRequest().slice(1)).toMatchObject([{ tool_calls: [ran] }, { content: '48' }]);
      });

      it('stays open where the modified input does not fit the tool', async () => {
        const { following, of, approval } = await ask('unfit');
        for (const modified_input of [{ formula: '1+1' }, {}, { expression: 7 }]) {
          const reply = await person.approve(of, approval, { modified_input });
          expect(reply.status).toBe(400);
          expect(reply.body).toMatchObject({ type: '/problems/invalid_input' });
          expect(reply.body.errors).toEqual([
            {
              field: 'modified_input',
              message: expect.stringMatching(/expression(?!.*call it again)/s),
            },
          ]);
        }
        expect((await person.approve(of, approval, { modified_input: 'no' })).status).toBe(400);
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        expect((await person.inbox('status=pending&chat_id=unfit')).body.items).toHaveLength(1);
        expect((await person.approve(of, approval)).status).toBe(200);
        expect((await following.end()).find('TOOL_RESULT')).toMatchObject({ tool_output: '42' });
      });

      it('keeps the call from running once it is refused, and the model reads why', async () => {
        const { following, of, approval } = await ask('rejected');
        const reply = await person.reject(of, approval, { reason: 'Use your head.' });
        expect([reply.status, reply.body]).toEqual([
          200,
          { status: 'processed', approval_id: approval, approved: false },
        ]);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types.slice(4, 7)).toEqual(['REJECTED', 'TOOL_RESULT', 'ANSWER']);
        expect(reader.find('REJECTED')).toMatchObject({
          by: { kind: 'user', user_id: 'local' },
          reason: 'Use your head.',
        });
        expect(reader.find('TOOL_RESULT')).toMatchObject({ is_error: true });
        expect(lastRequest().at(-1)).toMatchObject({
          role: 'tool',
          content: expect.stringContaining('Use your head.'),
        });
        expect(await statusOf(of)).toBe('COMPLETED');
        await messagesOf(of);
      });

      it('takes the first answer only (I5)', async () => {
        const { following, of, approval } = await ask('two-verdicts');
        expect((await person.reject(of, approval)).status).toBe(200);
        const second = await person.approve(of, approval);
        await following.end();
        const third = await person.approve(of, approval);
        for (const reply of [second, third]) {
          expect(reply.status).toBe(400);
          expect(reply.headers.get('content-type')).toMatch('application/problem+json');
          expect(reply.body).toMatchObject({
            type: '/problems/already_processed',
            status: 400,
            detail: expect.stringContaining('was rejected by the user local'),
            decision: {
              approved: false,
              by: { kind: 'user', user_id: 'local' },
              at: expect.stringMatching(/Z$/),
            },
          });
        }
        expect(following.reader.types).not.toContain('APPROVED');
      });

      it('is not found under another interaction or another chat, nor as another kind of request', async () => {
        const one = await ask('owner');
        const other = await ask('other');
        const replies = await Promise.all([
          person.approve(other.of, one.approval),
          person.approve({ chat_id: 'other', id: one.of.id }, one.approval),
          person.approve({ chat_id: 'nobody', id: one.of.id }, one.approval),
          person.approve(one.of, 'approval_0199c0de-0000-7000-8000-000000000000'),
          person.respond(one.of, one.approval, 'yes'),
          person.toolResult(one.of, { tool_call_id: one.asked[0]!.tool_call_id, tool_output: '1' }),
        ]);
        for (const { status, body } of replies) {
          expect(status).toBe(404);
          expect(body.type).toMatch(/_not_found$/);
        }
        expect((await person.approve(one.of, one.approval)).status).toBe(200);
        expect((await person.approve(other.of, other.approval)).status).toBe(200);
        for (const { following } of [one, other])
          expect((await following.end()).faults).toEqual([]);
      });

      it('says where it is decided to whoever asks at the wrong place', async () => {
        const calls = [calculate('6*7'), { name: 'ask_human', arguments: { question: 'Well?' } }];
        const { following, of, approval, asked } = await ask('misled', script({ calls }));
        const { request_id } = await following.record('INPUT_REQUIRED');
        const tool_call_id = asked[0]!.tool_call_id;
        const replies = [
          await person.respond(of, approval, 'yes'),
          await person.toolResult(of, { tool_call_id, tool_output: '42' }),
          await person.approve(of, request_id),
        ];
        expect(replies.map(({ status, body }) => [status, body.type, body.detail])).toEqual([
          [404, '/problems/request_not_found', expect.stringMatching(/approval.*\/approve/)],
          [404, '/problems/tool_call_not_found', expect.stringMatching(/approval.*\/approve/)],
          [404, '/problems/request_not_found', expect.stringMatching(/question.*\/respond/)],
        ]);
        const elsewhere = await person.respond({ ...of, chat_id: 'given' }, approval, 'yes');
        expect(elsewhere.body.detail).not.toMatch(/is an approval/);
        await person.approve(of, approval);
        await person.respond(of, request_id, null);
        expect((await following.end()).faults).toEqual([]);
      });

      it('needs no reason, and a blank one is none', async () => {
        const { following, of, approval } = await ask('blank');
        expect((await person.reject(of, approval, { reason: ' ' })).status).toBe(200);
        const reader = await following.end();
        expect(reader.find('REJECTED')).not.toHaveProperty('reason');
        expect(reader.find('TOOL_RESULT')!.tool_output).not.toContain('Reason');
      });

      it('that is refused takes no input, and runs nothing', async () => {
        const { following, of, approval } = await ask('refused-input');
        const modified_input = { formula: 'not even one that fits' };
        expect(await person.reject(of, approval, { modified_input })).toMatchObject({
          status: 400,
          body: { type: '/problems/invalid_body', errors: [{ field: 'modified_input' }] },
        });
        expect((await person.reject(of, approval)).status).toBe(200);
        const reader = await following.end();
        expect(reader.find('REJECTED')).not.toHaveProperty('modified_input');
        expect(reader.types).not.toContain('TOOL_STARTED');
        const [, call] = await messagesOf(of);
        expect(call).toMatchObject({
          tool_calls: [{ function: { arguments: '{"expression":"6*7"}' } }],
        });
      });

      it('belongs to one call of several, and those that have theirs run meanwhile', async () => {
        const calls = ['1+1', '2+2', '3+3'].map(calculate);
        const { following, of, asked } = await ask('parallel', script({ calls }), 3);
        const ids = following.reader.list('TOOL_CALL').map(({ id }) => id);
        const approvalOf = (n: number) =>
          asked.find(({ tool_call_id }) => tool_call_id === ids[n])!.approval_id;
        expect(new Set(asked.map(({ approval_id }) => approval_id)).size).toBe(3);

        await person.approve(of, approvalOf(1), { modified_input: { expression: '20+20' } });
        expect(await following.record('TOOL_RESULT')).toMatchObject({
          id: ids[1],
          tool_output: '40',
        });
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        await person.reject(of, approvalOf(0));
        expect(await following.record('TOOL_RESULT', 2)).toMatchObject({
          id: ids[0],
          is_error: true,
        });
        expect((await person.inbox('status=pending&chat_id=parallel')).body.items).toHaveLength(1);
        await person.approve(of, approvalOf(2));
        expect(await following.record('TOOL_RESULT', 3)).toMatchObject({
          id: ids[2],
          tool_output: '6',
        });
        expect((await following.end()).faults).toEqual([]);
        const results = (await messagesOf(of)).filter(({ role }) => role === 'tool');
        expect(results).toMatchObject(ids.map((tool_call_id) => ({ tool_call_id })));
        expect(results[1]).toMatchObject({ content: '40' });
      });

      it('is not needed by calls beside it that nobody has to be asked about', async () => {
        const calls = [calculate('6*7'), { name: 'current_time', arguments: {} }];
        const { following, of, approval } = await ask('beside', script({ calls }));
        expect(await following.record('TOOL_RESULT')).toMatchObject({ tool_name: 'current_time' });
        await person.approve(of, approval);
        expect((await following.end()).faults).toEqual([]);
      });

      it('covers one call: the next one asks again', async () => {
        const { following, of, approval } = await ask(
          'asked-again',
          script({ calls: [calculate('1+1')] }, { calls: [calculate('1+1')] }),
        );
        await person.approve(of, approval);
        const next = await following.record('APPROVAL_REQUIRED', 2);
        expect(next.approval_id).not.toBe(approval);
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        await person.reject(of, next.approval_id);
        expect((await following.end()).list('TOOL_RESULT').map(({ is_error }) => is_error)).toEqual(
          [false, true],
        );
      });

      it('is not asked for what could not run anyway', async () => {
        const calls = [{ name: 'calculator', arguments: '{"formula":1}' }];
        const reader = await (await person.say('faulty', script({ calls }))).end();
        expect(reader.types).not.toContain('APPROVAL_REQUIRED');
        expect(reader.find('TOOL_RESULT')).toMatchObject({ is_error: true });
      });

      it.each([
        ['nothing', {}],
        ['no id', { approved: true }],
        ['no verdict', { approval_id: 'approval_1' }],
        ['a verdict in words', { approval_id: 'approval_1', approved: 'yes' }],
        ['something else', { approval_id: 'approval_1', approved: true, comment: 'x' }],
        ['a reason without end', { approval_id: 'a', approved: true, reason: 'x'.repeat(10_001) }],
      ])('is refused when it says %s', async (_, body) => {
        const reply = await person.act({ chat_id: 'a', id: 'int_a' }, 'approve', body);
        expect(reply.status).toBe(400);
        expect(reply.body.errors).not.toEqual([]);
      });

      it('is given by nobody where the start says approval_mode "auto", and refused by nobody where it says "deny"', async () => {
        const modes = ['auto', 'deny'] as const;
        const readers = await Promise.all(
          modes.map(async (approval_mode) =>
            (await person.say(approval_mode, { user_message: ONE_CALL, approval_mode })).end(),
          ),
        );
        for (const reader of readers) {
          expect(reader.faults).toEqual([]);
          expect(reader.types).not.toContain('APPROVAL_REQUIRED');
          expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        }
        const [auto, deny] = readers.map((reader) => reader.find('TOOL_RESULT'));
        expect(auto).toMatchObject({ tool_output: '42', is_error: false });
        expect(deny).toMatchObject({ is_error: true });
        expect(readers[1]!.types).not.toContain('TOOL_STARTED');
      });

      it('is settled once, whoever answers, when two clients race over many of them (I5)', async () => {
        DeedTool.done.length = 0;
        const chats = 20;
        const each = EXHAUSTIVE ? 50 : 5;
        const asked = await Promise.all(
          Array.from({ length: chats }, async (_, chat) => {
            const calls = Array.from({ length: each }, (_, n) => ({
              name: 'deed',
              arguments: { what: `${chat}/${n}` },
            }));
            return ask(`two-clients-${chat}`, script({ calls }), each);
          }),
        );
        const approvals = asked.flatMap(({ of, asked: calls }) =>
          calls.map(({ approval_id }) => ({ of, approval_id })),
        );
        // Both are on their way at once; neither client is always the first.
        const replies = await inBatches(approvals, async ({ of, approval_id }, n) => {
          const approve = () => person.approve(of, approval_id);
          const reject = () => person.reject(of, approval_id);
          if (n % 2 === 0) return Promise.all([approve(), reject()]);
          return (await Promise.all([reject(), approve()])).toReversed();
        });
        const given = replies.map(([reply]) => reply!);
        const refused = replies.map(([, reply]) => reply!);
        for (const wins of [given, refused])
          expect(wins.filter(({ status }) => status === 200)).not.toEqual([]);
        const readers = await Promise.all(asked.map(({ following }) => following.end()));
        expect(readers.flatMap(({ faults }) => faults)).toEqual([]);
        const told = new Map(readers.flatMap((reader) => verdictsIn(reader)));
        approvals.forEach(({ approval_id }, n) => {
          expect([given[n]!.status, refused[n]!.status].toSorted((a, b) => a - b)).toEqual([
            200, 400,
          ]);
          expect(told.get(approval_id)).toBe(given[n]!.status === 200 ? 'APPROVED' : 'REJECTED');
        });
        expect(readers.flatMap((reader) => verdictsIn(reader))).toHaveLength(chats * each);
        expect(new Set(DeedTool.done).size).toBe(DeedTool.done.length);
        const approved = given.filter(({ status }) => status === 200).length;
        const results = readers.flatMap((reader) => reader.list('TOOL_RESULT'));
        expect(results.filter(({ is_error }) => !is_error)).toHaveLength(approved);
        // A server in a process of its own does them out of sight.
        expect([approved, 0]).toContain(DeedTool.done.length);
      });

      /** The conversation that the model was sent last. */
      const lastRequest = () => server.fake.requests.at(-1)!.body['messages'];
    });
  });
}

/** How the log says that approvals were settled: an entry for each time. */
function verdictsIn(reader: EventReader): [string, string][] {
  const verdicts = [...reader.list('APPROVED'), ...reader.list('REJECTED')];
  return verdicts.map(({ approval_id, type }) => [approval_id, type]);
}

/** As clients do that have 20 connections. */
async function inBatches<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += 20)
    results.push(
      ...(await Promise.all(items.slice(at, at + 20).map((item, n) => work(item, at + n)))),
    );
  return results;
}
