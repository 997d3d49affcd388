import { checkConversation } from '../../support/runs/check-conversation.js';
import type { EventReader } from '../../support/client/event-reader.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import type { Servers } from '../servers.js';

const SIX_TIMES_SEVEN: NonNullable<FakeTurn['calls']>[number] = {
  name: 'calculator',
  arguments: { expression: '6*7' },
};

export function describeTools(servers: Servers): void {
  describe('An agent that calls tools', () => {
    servers.run({}, (server) => {
      /** Also sends a next message: whatever happened, the chat has to go on (I8). */
      const sayAndGoOn = async (chat: string, body: object = {}) => {
        const reader = await server.api.say(chat, { user_message: 'Go', ...body });
        expect(reader.faults).toEqual([]);
        const of = { chat_id: chat, id: reader.records[0]!.interaction_id };
        const interaction = await server.api.interaction(of);
        expect(checkConversation(interaction.final_agent_state!.messages)).toEqual([]);
        const next = await server.api.say(chat, 'And now?');
        expect(next.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
        return { reader, interaction };
      };
      /** What the model was told in its nth request, counted from the end. */
      const toldFromEnd = (n: number) => server.fake.requests.at(-n)!.body['messages'];

      it('runs calls of one turn together and tells the model their results in its order', async () => {
        server.fake.reply({
          calls: [
            SIX_TIMES_SEVEN,
            { name: 'current_time', arguments: {} },
            { name: 'calculator', arguments: { expression: '1+1' } },
          ],
        });
        const { reader, interaction } = await sayAndGoOn('parallel');
        expect(reader.types.slice(1, 5)).toEqual([
          'TOOL_CALL',
          'TOOL_CALL',
          'TOOL_CALL',
          'TURN_COMPLETED',
        ]);
        const ids = idsOf(reader, 'TOOL_CALL');
        for (const type of ['TOOL_STARTED', 'TOOL_RESULT'] as const)
          expect(idsOf(reader, type).toSorted()).toEqual(ids.toSorted());
        const results = interaction.final_agent_state!.messages.filter(
          ({ role }) => role === 'tool',
        );
        expect(results.map((message) => 'tool_call_id' in message && message.tool_call_id)).toEqual(
          ids,
        );
        expect([results[0]!.content, results[2]!.content]).toEqual(['42', '2']);
      });

      it.each([
        ['cut off', '{"expression": "6*', /not valid JSON/],
        ['not an object', '[6, 7]', /not a JSON object/],
        ['of another shape', '{"formula": "6*7"}', /expression/],
      ])(
        'tells the model that its arguments are %s, and keeps them as they are',
        async (how, text, fault) => {
          const chat = how.replaceAll(' ', '-');
          server.fake.reply({ calls: [{ name: 'calculator', arguments: text }] });
          const { reader, interaction } = await sayAndGoOn(chat);
          expect(reader.find('TOOL_CALL')).toMatchObject({ tool_input: text });
          expect(reader.find('TOOL_RESULT')).toMatchObject({
            is_error: true,
            tool_output: expect.stringMatching(fault),
          });
          expect(reader.types).not.toContain('TOOL_STARTED');
          const isObject = text.endsWith('}');
          expect(interaction.final_agent_state!.messages[1]).toMatchObject({
            tool_calls: [{ function: { name: 'calculator', arguments: isObject ? text : '{}' } }],
          });
          expect(toldFromEnd(2).at(-1)).toMatchObject({
            role: 'tool',
            content: expect.stringMatching(fault),
          });
          expect(interaction.status).toBe('COMPLETED');
        },
      );

      it('tells the model which tools there are when it calls one that there is not', async () => {
        server.fake.reply({ calls: [{ name: 'calculater', arguments: {} }] });
        const { reader } = await sayAndGoOn('unknown');
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          tool_name: 'calculater',
          is_error: true,
          tool_output: expect.stringContaining('calculator'),
        });
      });

      it('tells the model what went wrong in a tool, and goes on', async () => {
        server.fake.reply({ calls: [{ name: 'calculator', arguments: { expression: '6*' } }] });
        const { reader, interaction } = await sayAndGoOn('failing');
        expect(reader.find('TOOL_RESULT')).toMatchObject({ is_error: true });
        expect(interaction.status).toBe('COMPLETED');
      });

      it('gives calls ids of their own where the model repeats its ids, in one turn and over turns', async () => {
        const repeated = { ...SIX_TIMES_SEVEN, id: 'call_0' };
        const other = { ...repeated, arguments: { expression: '7*6' } };
        server.fake.reply({ calls: [repeated, other] }, { calls: [repeated] });
        const { reader } = await sayAndGoOn('repeated');
        const ids = idsOf(reader, 'TOOL_CALL');
        expect(ids).toHaveLength(3);
        expect(new Set(ids).size).toBe(3);
        expect(idsOf(reader, 'TOOL_RESULT').toSorted()).toEqual(ids.toSorted());
      });

      it('takes calls that come whole in one chunk', async () => {
        server.fake.reply({ calls: [SIX_TIMES_SEVEN, SIX_TIMES_SEVEN], whole_calls: true });
        const { reader } = await sayAndGoOn('whole');
        expect(reader.list('TOOL_RESULT')).toEqual([
          expect.objectContaining({ tool_output: '42' }),
          expect.objectContaining({ tool_output: '42' }),
        ]);
      });

      it('fails when it is not done after max_iterations, and can be told to go on', async () => {
        server.fake.reply({ calls: [SIX_TIMES_SEVEN] }, { calls: [SIX_TIMES_SEVEN] });
        const { reader, interaction } = await sayAndGoOn('endless', { max_iterations: 2 });
        expect(reader.types.slice(-2)).toEqual(['ERROR', 'INTERACTION_COMPLETE']);
        expect(reader.find('ERROR')).toMatchObject({ code: 'max_iterations' });
        expect(reader.records.at(-1)).toMatchObject({ status: 'FAILED' });
        expect(interaction).toMatchObject({ status: 'FAILED', error: { code: 'max_iterations' } });
        expect(reader.types.filter((type) => type === 'TURN_COMPLETED')).toHaveLength(2);
      });
    });
  });
}

function idsOf(reader: EventReader, type: 'TOOL_CALL' | 'TOOL_STARTED' | 'TOOL_RESULT'): string[] {
  return reader.list(type).map(({ id }) => id);
}
