import { checkConversation } from '../../support/runs/check-conversation.js';
import { eventually } from '../../support/eventually.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;

const OPEN_DOOR = {
  name: 'open_door',
  description: 'Opens a door of the house.',
  input_schema: { type: 'object', properties: { door: { type: 'string' } }, required: ['door'] },
};
const open = (door: string) => ({ name: 'open_door', arguments: { door } });
const SAY = script({ calls: [open('front')] });

export function describeClientTools(servers: Servers): void {
  describe('A tool that the client runs', () => {
    withPeople(servers, { PARK_AFTER_MS: '0' }, (server, person) => {
      const say = (chat: string, user_message = SAY) =>
        person.say(chat, { user_message, client_tools: [OPEN_DOOR] });
      const statusOf = async (of: Interacted) => (await server.api.interaction(of)).status;

      it('is offered to the model, asked for, and its result is what the model reads', async () => {
        const asked = server.fake.requests.length + 1;
        const following = await say('asked');
        const offered = (await server.fake.request(asked)).body['tools'];
        expect(offered).toContainEqual({
          type: 'function',
          function: expect.objectContaining({
            name: 'open_door',
            description: OPEN_DOOR.description,
            parameters: OPEN_DOOR.input_schema,
          }),
        });
        const required = await following.record('TOOL_RESULT_REQUIRED');
        const call = following.reader.find('TOOL_CALL')!;
        const event = {
          request_id: expect.stringMatching(/^input_/),
          tool_call_id: call.id,
          tool_name: 'open_door',
          tool_input: '{"door":"front"}',
        };
        expect(required).toMatchObject(event);
        expect(await statusOf(following.of)).toBe('WAITING_INPUT');
        expect((await person.inbox('status=pending&chat_id=asked')).body.items).toMatchObject([
          { ...event, id: required.request_id, kind: 'tool' },
        ]);
        const reply = await person.toolResult(following.of, {
          tool_call_id: call.id,
          tool_output: 'It is open.',
        });
        expect([reply.status, reply.body]).toEqual([
          200,
          { status: 'processed', tool_call_id: call.id },
        ]);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).not.toContain('APPROVAL_REQUIRED');
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          id: call.id,
          tool_output: 'It is open.',
          is_error: false,
        });
        const { messages } = (await server.api.interaction(following.of)).final_agent_state!;
        expect(checkConversation(messages)).toEqual([]);
        expect(messages[2]).toMatchObject({ role: 'tool', content: 'It is open.' });
      });

      it('may fail', async () => {
        const following = await say('failed');
        const { tool_call_id } = await following.record('TOOL_RESULT_REQUIRED');
        const result = { tool_call_id, tool_output: 'It is stuck.', is_error: true };
        expect((await person.toolResult(following.of, result)).status).toBe(200);
        expect((await following.end()).find('TOOL_RESULT')).toMatchObject({
          tool_output: 'It is stuck.',
          is_error: true,
        });
      });

      it('is not asked for with arguments that are no object: the model is told', async () => {
        const calls = [{ name: 'open_door', arguments: '{"door": "fro' }];
        const reader = await (await say('cut-off', script({ calls }))).end();
        expect(reader.types).not.toContain('TOOL_RESULT_REQUIRED');
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          is_error: true,
          tool_output: expect.stringMatching(/not valid JSON/),
        });
      });

      it('has no more to say to the model than any other tool', async () => {
        const following = await say('much');
        const { tool_call_id } = await following.record('TOOL_RESULT_REQUIRED');
        await person.toolResult(following.of, { tool_call_id, tool_output: 'x'.repeat(100_000) });
        const result = (await following.end()).find('TOOL_RESULT')!;
        expect(result).toMatchObject({ truncated: true });
        expect(result.tool_output.length).toBeLessThanOrEqual(30_000);
      });

      it('gives its result once, for a call that waits for one, in its own interaction', async () => {
        const [following, other] = [await say('once'), await say('other')];
        const { tool_call_id, request_id } = await following.record('TOOL_RESULT_REQUIRED');
        await other.record('TOOL_RESULT_REQUIRED');
        const result = { tool_call_id, tool_output: 'open' };
        for (const [of, body] of [
          [other.of, result],
          [{ ...following.of, chat_id: 'other' }, result],
          [following.of, { ...result, tool_call_id: 'call_unknown' }],
        ] as const) {
          const { status, body: problem } = await person.toolResult(of, body);
          expect([status, problem.type]).toEqual([404, '/problems/tool_call_not_found']);
        }
        expect((await person.respond(following.of, request_id, 'open')).status).toBe(404);
        expect((await person.approve(following.of, request_id)).status).toBe(404);
        const replies = await Promise.all(
          [1, 2].map(() => person.toolResult(following.of, result)),
        );
        expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
        await following.end();
        const late = await person.toolResult(following.of, result);
        expect([late.status, late.body.type]).toEqual([400, '/problems/already_processed']);
        await person.cancel(other.of);
        await other.end();
      });

      it('waits beside approvals and questions, parked, and each goes on by itself', async () => {
        const calls = [
          open('front'),
          open('back'),
          { name: 'calculator', arguments: { expression: '6*7' } },
          { name: 'ask_human', arguments: { question: 'Well?' } },
        ];
        const following = await say('beside', script({ calls }));
        const { of } = following;
        await following.record('TOOL_RESULT_REQUIRED', 2);
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        const { request_id } = await following.record('INPUT_REQUIRED');
        const [front, back] = following.reader.list('TOOL_CALL').map(({ id }) => id);
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        const parked = () => eventually(() => !server.runs(of.id));
        await parked();
        await person.toolResult(of, { tool_call_id: back, tool_output: 'back' });
        expect(await following.record('TOOL_RESULT', 1)).toMatchObject({ id: back });
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        await parked();
        await person.approve(of, approval_id);
        await following.record('TOOL_RESULT', 2);
        expect(await statusOf(of)).toBe('WAITING_INPUT');
        await parked();
        await person.respond(of, request_id, 'Well.');
        await following.record('TOOL_RESULT', 3);
        expect(await statusOf(of)).toBe('WAITING_INPUT');
        await parked();
        await server.restart();
        await following.resume(server.api);
        await person.toolResult(of, { tool_call_id: front, tool_output: 'front' });
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).not.toContain('RESUMED');
        const { messages } = (await server.api.interaction(of)).final_agent_state!;
        expect(messages.slice(2, 6)).toMatchObject(
          ['front', 'back', '42', 'Well.'].map((content) => ({ role: 'tool', content })),
        );
      });

      it.each([
        ['that the server has too', [{ ...OPEN_DOOR, name: 'calculator' }], 'client_tools.0.name'],
        ['twice', [OPEN_DOOR, OPEN_DOOR], 'client_tools'],
        ['without a name', [{ ...OPEN_DOOR, name: '' }], 'client_tools.0.name'],
        ['of a name that no model takes', [{ ...OPEN_DOOR, name: 'ö' }], 'client_tools.0.name'],
        ['without a schema', [{ name: 'a', description: 'b' }], 'client_tools.0.input_schema'],
        ['with more than it has', [{ ...OPEN_DOOR, code: 'x' }], 'client_tools.0.code'],
      ])('is refused when it is declared %s', async (_, client_tools, field) => {
        const reply = await server.api.post('/chats/refused/interactions', {
          user_message: 'Go',
          client_tools,
        });
        expect(reply.status).toBe(400);
        expect(reply.body.errors).toContainEqual({ field, message: expect.any(String) });
        expect((await server.api.get('/chats/refused')).status).toBe(404);
      });

      it('is there for the interaction that declared it only', async () => {
        const following = await person.say('next', SAY);
        const reader = await following.end();
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          is_error: true,
          tool_output: expect.stringContaining('open_door'),
        });
      });

      it.each([
        ['no call', { tool_output: 'x' }],
        ['no output', { tool_call_id: 'call_1' }],
        ['an output that is no text', { tool_call_id: 'call_1', tool_output: {} }],
      ])('does not take a result with %s', async (_, body) => {
        const reply = await person.toolResult({ chat_id: 'a', id: 'int_a' }, body);
        expect(reply.status).toBe(400);
        expect(reply.body.errors).not.toEqual([]);
      });
    });
  });
}
