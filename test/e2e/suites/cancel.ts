import type { Reply } from '../../support/client/api-client.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import { eventually } from '../../support/eventually.js';
import { Following } from '../../support/store/following.js';
import { Gate } from '../../support/gate.js';
import { PatientTool } from '../../support/runs/human-test.module.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;

const HANGS = script({ hang: true });
const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Well?' } };
const END = ['CANCELLED', 'INTERACTION_COMPLETE'];

export function describeCancel(servers: Servers): void {
  describe('A cancel', () => {
    withPeople(servers, {}, (server, person) => {
      /** Everything of a cancelled interaction fits together. */
      const expectCancelled = async (following: Following, reply: Reply) => {
        const reader = await following.end();
        const { id: interaction_id } = following.of;
        expect(reader.faults).toEqual([]);
        expect(reader.types.slice(-2)).toEqual(END);
        const { stopped, reason } = reader.find('CANCELLED')!;
        expect(reason).toEqual(expect.any(String));
        expect([reply.status, reply.body]).toEqual([
          200,
          { status: 'CANCELLED', interaction_id, stopped, message: expect.any(String) },
        ]);
        const interaction = await server.api.interaction(following.of);
        expect(interaction).toMatchObject({ status: 'CANCELLED', error: null });
        expect(interaction.completed_at).not.toBeNull();
        expect(checkConversation(interaction.final_agent_state!.messages)).toEqual([]);
        const pending = await person.inbox(`status=pending&interaction_id=${interaction_id}`);
        expect(pending.body.items).toEqual([]);
        expect(server.runs(interaction_id)).toBe(false);
        return { reader, interaction, stopped };
      };
      const isFree = async (chat: string) => {
        const next = await server.api.say(chat, 'And now?');
        expect(next.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
      };

      it('stops a model that hangs before it says that it has (I7)', async () => {
        const asked = server.fake.requests.length + 1;
        const following = await person.say('hangs', HANGS);
        const request = await server.fake.request(asked);
        const cancelled = person.cancel(following.of, '?wait=true');
        await following.record('CANCELLED');
        expect(await request.ended).toBe('closed');
        const { stopped } = await expectCancelled(following, await cancelled);
        expect(stopped).toEqual([{ kind: 'model', name: 'openai/fake', state: 'stopped' }]);
        await isFree('hangs');
      });

      it('keeps what was said so far as a partial answer', async () => {
        const gate = new Gate();
        server.fake.reply({ thinking: 'Hm.', text: ['Half an', gate, ' answer'] });
        const following = await person.say('partial', 'Go');
        await gate.reached;
        await eventually(() => following.reader.openText.includes('Half an'));
        const reply = await person.cancel(following.of, '?wait=true');
        const { reader, interaction } = await expectCancelled(following, reply);
        expect(reader.find('ANSWER')).toMatchObject({ content: 'Half an', partial: true });
        expect(interaction.final_agent_state!.messages).toEqual([
          { role: 'user', content: 'Go' },
          { role: 'assistant', content: 'Half an' },
        ]);
        gate.open();
      });

      it('answers at once without wait=true, as often as it comes, and the first reason stays', async () => {
        const gate = new Gate();
        server.fake.reply({ text: ['Half', gate] });
        const following = await person.say('two-cancels', 'Go');
        await gate.reached;
        const [first, second] = [
          await person.cancel(following.of),
          await person.cancel(following.of),
        ];
        expect([first.status, first.body]).toEqual([
          202,
          { status: 'cancelling', interaction_id: following.of.id, message: expect.any(String) },
        ]);
        expect([202, 409]).toContain(second.status);
        const reader = await following.end();
        expect(reader.list('CANCELLED')).toHaveLength(1);
        const late = await person.cancel(following.of);
        expect([late.status, late.body]).toMatchObject([
          409,
          { type: '/problems/already_ended', interaction_status: 'CANCELLED' },
        ]);
        gate.open();
      });

      it('of many clients at once ends it once', async () => {
        const asked = server.fake.requests.length + 1;
        const following = await person.say('many-clients', HANGS);
        await server.fake.request(asked);
        const replies = await Promise.all(
          Array.from({ length: 10 }, () => person.cancel(following.of, '?wait=true')),
        );
        const reader = await following.end();
        expect(reader.list('CANCELLED')).toHaveLength(1);
        for (const { status, body } of replies)
          expect([status, body.status]).toEqual(status === 409 ? [409, 409] : [200, 'CANCELLED']);
      });

      it('stops tools, and tells which', async () => {
        const following = await person.say(
          'stops-tools',
          script({ calls: [{ name: 'patient', arguments: {} }, CALCULATION] }),
        );
        await following.record('TOOL_STARTED');
        await following.record('APPROVAL_REQUIRED');
        await eventually(() => PatientTool.running === 1);
        const reply = await person.cancel(following.of, '?wait=true');
        expect(PatientTool.running).toBe(0);
        const { reader, stopped } = await expectCancelled(following, reply);
        const [patient, calculator] = reader.list('TOOL_CALL').map(({ id }) => id);
        expect(stopped).toEqual([{ kind: 'tool', id: patient, name: 'patient', state: 'stopped' }]);
        expect(reader.find('REJECTED')).toMatchObject({
          tool_call_id: calculator,
          by: { kind: 'system' },
          cause: 'cancel',
        });
        const results = new Map(reader.list('TOOL_RESULT').map((result) => [result.id, result]));
        expect(results.get(patient!)).toMatchObject({
          is_error: true,
          tool_output: expect.stringMatching(/stopped while it ran/),
        });
        expect(results.get(calculator!)).toMatchObject({
          is_error: true,
          tool_output: expect.stringMatching(/not started/),
        });
      });

      it('does not wait for ever for a tool that ignores it, and does not call it stopped', async () => {
        const following = await person.say(
          'stubborn',
          script({ calls: [{ name: 'stubborn', arguments: {} }] }),
        );
        const { id } = await following.record('TOOL_STARTED');
        const reply = await person.cancel(following.of, '?wait=true');
        const { reader, stopped } = await expectCancelled(following, reply);
        expect(stopped).toEqual([{ kind: 'tool', id, name: 'stubborn', state: 'unknown' }]);
        expect(reader.find('TOOL_RESULT')!.tool_output).toMatch(/may still be running/);
        await isFree('stubborn');
      });

      it('closes what waits for people, and what they say later is too late', async () => {
        const calls = [CALCULATION, QUESTION, { name: 'open_door', arguments: { door: 'front' } }];
        const client_tools = [
          { name: 'open_door', description: 'Opens.', input_schema: { type: 'object' } },
        ];
        const following = await person.say('closes-requests', {
          user_message: script({ calls }),
          client_tools,
        });
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        const { request_id } = await following.record('INPUT_REQUIRED');
        const { tool_call_id } = await following.record('TOOL_RESULT_REQUIRED');
        const reply = await person.cancel(following.of, '?wait=true');
        const { reader } = await expectCancelled(following, reply);
        expect(reader.find('REJECTED')).toMatchObject({
          approval_id,
          by: { kind: 'system' },
          cause: 'cancel',
        });
        expect(reader.list('TOOL_RESULT')).toHaveLength(3);
        const { of } = following;
        for (const { status, body } of [
          await person.approve(of, approval_id),
          await person.respond(of, request_id, 'x'),
          await person.toolResult(of, { tool_call_id, tool_output: 'x' }),
        ])
          expect([status, body.type]).toEqual([400, '/problems/already_processed']);
        expect(reader.types).not.toContain('INPUT_RECEIVED');
      });

      it('takes one that waits for its chat out of the queue', async () => {
        const asked = server.fake.requests.length + 1;
        const running = await person.say('queued', HANGS);
        await server.fake.request(asked);
        const queued = await person.say('queued', { user_message: 'Next', on_conflict: 'enqueue' });
        const after = await person.say('queued', { user_message: 'Last', on_conflict: 'enqueue' });
        const { reader, stopped } = await expectCancelled(
          queued,
          await person.cancel(queued.of, '?wait=true'),
        );
        expect(stopped).toEqual([]);
        expect(reader.types).toEqual(['INTERACTION_STARTED', ...END]);
        expect((await server.api.interaction(running.of)).status).toBe('RUNNING');
        await person.cancel(running.of);
        expect((await after.end()).records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        expect((await after.end()).records[0]).toMatchObject({ parent_id: running.of.id });
      });

      it('loses against an end that comes first, and never comes after it', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 30 }, async (_, n) => {
            const following = await person.say(`ending-${n}`, 'Hi');
            await following.record(n % 3 === 0 ? 'INTERACTION_STARTED' : 'ANSWER');
            const reply = await person.cancel(following.of, '?wait=true');
            const reader = await following.end();
            expect(reader.faults).toEqual([]);
            const end = reader.find('INTERACTION_COMPLETE')!;
            expect((await server.api.interaction(following.of)).status).toBe(end.status);
            expect(reader.list('CANCELLED')).toHaveLength(end.status === 'CANCELLED' ? 1 : 0);
            return { reply, status: end.status };
          }),
        );
        for (const { reply, status } of outcomes) {
          if (reply.status === 409) expect(reply.body.interaction_status).toBe(status);
          else expect([reply.status, reply.body.status]).toEqual([200, status]);
        }
      });

      it('races an approval: the call runs whole or not at all', async () => {
        await Promise.all(
          Array.from({ length: 20 }, async (_, n) => {
            const following = await person.say(
              `ending-or-running-${n}`,
              script({ calls: [CALCULATION] }),
            );
            const { approval_id } = await following.record('APPROVAL_REQUIRED');
            const [cancelled] = await Promise.all([
              person.cancel(following.of, '?wait=true'),
              person.approve(following.of, approval_id),
            ]);
            const reader = await following.end();
            expect(reader.faults).toEqual([]);
            expect([200, 409]).toContain(cancelled.status);
            expect(reader.list('TOOL_RESULT')).toHaveLength(1);
            const verdicts = [...reader.list('APPROVED'), ...reader.list('REJECTED')];
            expect(verdicts).toHaveLength(1);
            if (reader.find('TOOL_STARTED')) expect(verdicts[0]!.type).toBe('APPROVED');
          }),
        );
      });

      it('finds no interaction that is not there, or that is another chat’s', async () => {
        const following = await person.say('theirs', 'Hi');
        await following.end();
        for (const of of [
          { chat_id: 'theirs', id: 'int_0199c0de-0000-7000-8000-000000000000' },
          { chat_id: 'mine', id: following.of.id },
        ] satisfies Interacted[]) {
          const { status, body } = await person.cancel(of);
          expect([status, body.type]).toEqual([404, '/problems/interaction_not_found']);
        }
        expect((await person.cancel(following.of, '?wait=maybe')).status).toBe(400);
      });
    });
  });

  describe('A cancel of a run that is parked', () => {
    withPeople(servers, { PARK_AFTER_MS: '0' }, (server, person) => {
      it('ends it, also after a restart', async () => {
        const following = await person.say('parked', script({ calls: [CALCULATION] }));
        await following.record('APPROVAL_REQUIRED');
        await eventually(() => !server.runs(following.of.id));
        await server.restart();
        await following.resume(server.api);
        const asked = server.fake.requests.length;
        expect((await person.cancel(following.of, '?wait=true')).body).toMatchObject({
          status: 'CANCELLED',
          stopped: [],
        });
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types.slice(3)).toEqual([
          'APPROVAL_REQUIRED',
          'REJECTED',
          'TOOL_RESULT',
          ...END,
        ]);
        expect(server.fake.requests).toHaveLength(asked);
      });
    });
  });
}
