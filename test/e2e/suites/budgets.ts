import { checkConversation } from '../../support/runs/check-conversation.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const TIME = { name: 'current_time', arguments: {} };
const child = (prompt: string) => ({ name: 'agent', arguments: { prompt } });
const FAILED = { status: 'FAILED' };

export function describeBudgets(servers: Servers): void {
  describe('A budget', () => {
    const prices = JSON.stringify({ 'openai/fake': { input: 1, output: 1 } });
    withPeople(servers, { MAX_TOKENS: '1000', MODEL_PRICES: prices }, (server, person) => {
      it('of tokens ends what goes on beyond it, with all its agents', async () => {
        const deep = script({ calls: [TIME] }, { calls: [TIME] }, { calls: [TIME] });
        const user_message = script({ calls: [child(deep)] });
        const reader = await server.api.say('tokens', { user_message, budget: { tokens: 45 } });
        expect(reader.faults).toEqual([]);
        expect(reader.list('AGENT_COMPLETED')).toMatchObject([{ status: 'error' }]);
        expect(reader.find('ERROR')).toMatchObject({
          code: 'budget_exceeded',
          message: expect.stringContaining('45 of 45 tokens are used'),
        });
        expect(reader.find('INTERACTION_COMPLETE')).toMatchObject(FAILED);
        const [interaction] = (await server.api.get('/chats/tokens')).body.interactions;
        expect(interaction).toMatchObject({ error: { code: 'budget_exceeded' } });
        expect(interaction.usage).toEqual({
          ...{ input_tokens: 30, output_tokens: 15 },
          cost_usd: expect.closeTo(0.000045, 9),
        });
        expect(checkConversation(interaction.final_agent_state.messages)).toEqual([]);
      });

      it('of tokens ends a run whose model reports no usage', async () => {
        const turn = { calls: [TIME], usage: null };
        const user_message = script(turn, turn, turn, { text: 'Never said.' });
        const reader = await server.api.say('uncounted', { user_message, budget: { tokens: 20 } });
        expect(reader.find('NOTICE')).toMatchObject({ code: 'usage_estimated' });
        expect(reader.find('ERROR')).toMatchObject({ code: 'budget_exceeded' });
        expect(reader.find('INTERACTION_COMPLETE')).toMatchObject(FAILED);
      });

      it('of tool calls is told to the model, which goes on', async () => {
        const user_message = script({ calls: [TIME, TIME, TIME] });
        const reader = await server.api.say('calls', { user_message, budget: { tool_calls: 1 } });
        const refused = reader.list('TOOL_RESULT').filter(({ is_error }) => is_error);
        expect(refused).toHaveLength(2);
        expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
      });

      it('of time stops a model in the middle of its answer', async () => {
        const body = { user_message: script({ hang: true }), budget: { wall_time_ms: 1_500 } };
        const reader = await server.api.say('time', body);
        expect(reader.faults).toEqual([]);
        expect(reader.find('ERROR')).toMatchObject({
          code: 'budget_exceeded',
          message: expect.stringContaining('of 1500 ms'),
        });
        expect(reader.find('INTERACTION_COMPLETE')).toMatchObject(FAILED);
      });

      it('of money counts by the price of the model, and needs one', async () => {
        const user_message = script({ calls: [TIME] }, { calls: [TIME] });
        const budget = { cost_usd: 0.000_03 };
        const reader = await server.api.say('money', { user_message, budget });
        expect(reader.find('ERROR')).toMatchObject({ code: 'budget_exceeded' });
        const unknown = { user_message, budget, model: 'openai/other' };
        const refused = await server.api.post('/chats/money/interactions', unknown);
        expect([refused.status, refused.body.type]).toEqual([400, '/problems/unknown_price']);
      });

      it('of the server bounds what is asked for', async () => {
        const user_message = script({
          calls: [CALCULATION],
          usage: { prompt_tokens: 990, completion_tokens: 10 },
        });
        const following = await person.say('most', { user_message, budget: { tokens: 100_000 } });
        const reader = await following.end();
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          is_error: true,
          tool_output: expect.stringMatching(/did not run.*1000 of 1000 tokens/),
        });
        expect(reader.types).not.toContain('APPROVAL_REQUIRED');
        expect(reader.find('ERROR')).toMatchObject({ code: 'budget_exceeded' });
      });

      it('that makes no sense is refused', async () => {
        const budgets = [{ tokens: 0 }, { tokens: '1' }, { cost_usd: -1 }, { more: 1 }, 'much', []];
        for (const budget of budgets) {
          const body = { user_message: 'Hi', budget };
          const { status } = await server.api.post('/chats/nonsense/interactions', body);
          expect([budget, status]).toEqual([budget, 400]);
        }
      });
    });
  });
}
