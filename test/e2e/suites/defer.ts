import { checkConversation } from '../../support/runs/check-conversation.js';
import { eventually } from '../../support/eventually.js';
import type { Following } from '../../support/store/following.js';
import { DeedTool } from '../../support/runs/human-test.module.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import type { Person } from '../../support/client/person.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;

const deed = (what: string) => ({ name: 'deed', arguments: { what } });
const GO_ON = { name: 'ask_human', arguments: { question: 'Go on?' } };
const WAITING = expect.stringMatching(/^Waiting for approval/);

function helpers(server: ServerUnderTest, person: Person) {
  const statusOf = async (of: Interacted) => (await server.api.interaction(of)).status;
  return {
    statusOf,
    /** Starts an interaction whose deeds are deferred, and waits until they are. */
    defer: async (chat: string, user_message: string, deeds = 1): Promise<Following> => {
      const following = await person.say(chat, { user_message, approval_mode: 'defer' });
      await following.record('TOOL_RESULT', deeds);
      return following;
    },
    approvalOf: (following: Following, what: string): string => {
      const asked = following.reader.list('APPROVAL_REQUIRED');
      return asked.find(({ tool_input }) => tool_input.includes(what))!.approval_id;
    },
    /** The messages at the end: a valid conversation in which each call has its one result (I8). */
    messagesOf: async (of: Interacted) => {
      const { messages } = (await server.api.interaction(of)).final_agent_state!;
      expect(checkConversation(messages)).toEqual([]);
      return messages;
    },
    parked: ({ id }: Interacted) => eventually(() => !server.runs(id)),
  };
}

export function describeDefer(servers: Servers): void {
  describe('A call that is deferred', () => {
    beforeEach(() => {
      DeedTool.done.length = 0;
    });

    withPeople(servers, {}, (server, person) => {
      const { statusOf, defer, approvalOf, messagesOf } = helpers(server, person);
      const STORY = script({ calls: [deed('this')] }, { calls: [GO_ON] });

      it('lets its agent go on, runs when it is approved, and what came of it follows as a note', async () => {
        const following = await defer('approved', STORY);
        const { of, reader } = following;
        const { request_id } = await following.record('INPUT_REQUIRED');
        expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: WAITING, is_error: false });
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        expect(DeedTool.done).toEqual([]);
        await person.approve(of, approvalOf(following, 'this'));
        const note = await following.record('NOTICE');
        expect(note).toMatchObject({
          code: 'deferred_call_settled',
          message: expect.stringContaining('Did this.'),
        });
        expect(DeedTool.done).toEqual(['this']);
        expect(await statusOf(of)).toBe('WAITING_INPUT');
        await person.respond(of, request_id, 'Yes');
        expect((await following.end()).faults).toEqual([]);
        expect(reader.types.filter((type) => type === 'TOOL_RESULT')).toHaveLength(2);
        const [, call, waiting, , answer, told, last] = await messagesOf(of);
        expect([call, waiting, answer, told, last]).toMatchObject([
          { tool_calls: [{ function: { name: 'deed' } }] },
          { role: 'tool', content: WAITING },
          { role: 'tool', content: 'Yes' },
          { role: 'user', content: note.message },
          { role: 'assistant', content: 'Done.' },
        ]);
        expect(server.fake.requests.at(-1)!.body['messages'].at(-1)).toMatchObject({
          role: 'user',
          content: note.message,
        });
      });

      it('does not run when it is refused, and the note says why', async () => {
        const following = await defer('refused', STORY);
        const { of } = following;
        const { request_id } = await following.record('INPUT_REQUIRED');
        await person.reject(of, approvalOf(following, 'this'), { reason: 'Not today.' });
        const { message } = await following.record('NOTICE');
        expect(message).toMatch(/rejected.*did not run.*Not today\./);
        await person.respond(of, request_id, 'Yes');
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('REJECTED')).toMatchObject({
          by: { kind: 'user', user_id: 'local' },
          reason: 'Not today.',
        });
        expect(DeedTool.done).toEqual([]);
        expect(await messagesOf(of)).toContainEqual({ role: 'user', content: message });
      });

      it('runs with what the person made of it, and the conversation shows that', async () => {
        const following = await defer('modified', script({ calls: [deed('this')] }));
        const { of } = following;
        await person.approve(of, approvalOf(following, 'this'), {
          modified_input: { what: 'that' },
        });
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(DeedTool.done).toEqual(['that']);
        expect(reader.find('NOTICE')!.message).toContain('Did that.');
        const [, call] = await messagesOf(of);
        expect(call).toMatchObject({
          tool_calls: [{ function: { arguments: '{"what":"that"}' } }],
        });
      });

      it('keeps the interaction open when its agent is done, until the last one is settled', async () => {
        const calls = [deed('first'), deed('second')];
        const following = await defer('two', script({ calls }), 2);
        const { of } = following;
        await following.record('ANSWER');
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        await person.approve(of, approvalOf(following, 'second'));
        await following.record('NOTICE');
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        expect((await person.inbox('status=pending&chat_id=two')).body.items).toHaveLength(1);
        await person.approve(of, approvalOf(following, 'first'));
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(DeedTool.done).toEqual(['second', 'first']);
        const notes = reader.list('NOTICE').map(({ message }) => message);
        expect(notes).toEqual([
          expect.stringContaining('Did second.'),
          expect.stringContaining('Did first.'),
        ]);
        const messages = await messagesOf(of);
        expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
        expect(await statusOf(of)).toBe('COMPLETED');
        const next = await server.api.say('two', 'And now?');
        expect(next.faults).toEqual([]);
      });

      it('is over when the interaction is cancelled, and the conversation says so', async () => {
        const following = await defer('cancelled', STORY);
        const { of } = following;
        await following.record('INPUT_REQUIRED');
        expect((await person.cancel(of, '?wait=true')).body).toMatchObject({ status: 'CANCELLED' });
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.list('REJECTED')).toMatchObject([
          { by: { kind: 'system' }, cause: 'cancel' },
        ]);
        expect(DeedTool.done).toEqual([]);
        expect(reader.list('NOTICE')).toMatchObject([
          { message: expect.stringMatching(/Cancelled\. The tool was not started\./) },
        ]);
        expect(await messagesOf(of)).toContainEqual({
          role: 'user',
          content: reader.find('NOTICE')!.message,
        });
        expect((await person.inbox('status=pending&chat_id=cancelled')).body.items).toEqual([]);
        expect((await server.api.say('cancelled', 'And now?')).faults).toEqual([]);
      });
    });

    withPeople(servers, { PARK_AFTER_MS: '0' }, (server, person) => {
      const { statusOf, defer, approvalOf, messagesOf, parked } = helpers(server, person);
      const restart = async (following: Following) => {
        await server.restart();
        await following.resume(server.api);
      };

      it.each([
        ['parked at first', async () => {}],
        ['parked and restarted', restart],
      ])('is settled where its run was %s', async (way, interlude) => {
        const chat = way.replaceAll(' ', '-');
        const calls = [
          deed('first'),
          deed('second'),
          { name: 'interview', arguments: { questions: ['One?', 'Two?'] } },
        ];
        await makeToolAsk(server.api, chat, 'interview');
        const following = await defer(chat, script({ calls }), 3);
        const { of } = following;
        const settle = async (decide: () => Promise<{ status: number }>) => {
          await parked(of);
          await interlude(following);
          expect((await decide()).status).toBe(200);
        };
        await following.record('ANSWER');
        await settle(() => person.approve(of, approvalOf(following, 'One?')));
        for (const n of [1, 2]) {
          const { request_id } = await following.record('INPUT_REQUIRED', n);
          await settle(() => person.respond(of, request_id, `answer ${n}`));
        }
        await following.record('NOTICE', 1);
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        await settle(() => person.approve(of, approvalOf(following, 'second')));
        await following.record('NOTICE', 2);
        await settle(() => person.reject(of, approvalOf(following, 'first')));
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).not.toContain('RESUMED');
        expect(DeedTool.done).toEqual(['second']);
        expect(reader.list('INPUT_REQUIRED')).toHaveLength(2);
        expect(reader.list('NOTICE').map(({ message }) => message)).toEqual([
          expect.stringContaining('["answer 1","answer 2"]'),
          expect.stringContaining('Did second.'),
          expect.stringContaining('did not run'),
        ]);
        expect(await statusOf(of)).toBe('COMPLETED');
        const messages = await messagesOf(of);
        expect(messages.filter(({ role }) => role === 'tool')).toMatchObject(
          Array.from({ length: 3 }, () => ({ content: WAITING })),
        );
      });
    });

    withPeople(servers, { APPROVAL_TIMEOUT_MS: '5000' }, (server, person) => {
      const { defer, messagesOf } = helpers(server, person);

      it('does not run when nobody decides in time, and the note says so', async () => {
        const following = await defer('late', script({ calls: [deed('this')] }));
        await server.expire(5_000);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('REJECTED')).toMatchObject({ by: { kind: 'system' }, cause: 'timeout' });
        expect(reader.find('NOTICE')!.message).toMatch(/Nobody answered in time.*did not run/);
        expect(DeedTool.done).toEqual([]);
        await messagesOf(following.of);
      });
    });
  });
}
