import { checkConversation } from '../../support/runs/check-conversation.js';
import { EventReader } from '../../support/client/event-reader.js';
import { wire } from '../../support/model/fake-anthropic-turn.js';
import { FakeAnthropic } from '../../support/model/fake-anthropic.js';
import { Gate } from '../../support/gate.js';
import { Person } from '../../support/client/person.js';
import { resumeAfterEach } from '../../support/client/resume-after-each.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import { KEY } from '../../support/server/test-server.js';
import type { Servers } from '../servers.js';

const SIGNATURE = 'EqQBCkYIBRgC+/=ü👍🏽\u2028"\\ end ';
const MODEL = 'anthropic/claude-opus-4-8';
const THOUGHT = { thinking: 'I should calculate.', signature: SIGNATURE, redacted: 'SECRET+/=' };
const BLOCKS = [
  { type: 'thinking', thinking: THOUGHT.thinking, signature: SIGNATURE },
  { type: 'redacted_thinking', data: THOUGHT.redacted },
];

export function describeAnthropic(servers: Servers): void {
  describe('An interaction with a model of Anthropic', () => {
    let fake: FakeAnthropic;
    const env = () => ({
      MODEL,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: fake.baseUrl,
      MODEL_THINKING: 'high',
      MODEL_MAX_OUTPUT_TOKENS: '4000',
    });
    beforeAll(async () => {
      fake = await FakeAnthropic.start();
    });
    afterEach(() => expect(fake.violations.splice(0)).toEqual([]));
    afterAll(() => fake.stop());

    servers.run(env, (server) => {
      const person = new Person(() => server.api);
      const bodiesFrom = (start: number) => fake.requests.slice(start).map(({ body }) => body);

      it('calls tools, waits for an approval over a restart, and gives its thoughts back as they were', async () => {
        const start = fake.requests.length;
        fake.reply(
          {
            ...THOUGHT,
            text: 'Both at once.',
            calls: [
              { id: 'toolu_1', name: 'calculator', arguments: { expression: '6*7' } },
              { id: 'toolu_2', name: 'current_time', arguments: {} },
            ],
          },
          { thinking: 'Done.', signature: 'sig2', text: 'It is 48.' },
          { text: 'Gladly.' },
        );
        const following = await person.say('thoughts', 'What is 6*7?');
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        await following.record('TOOL_RESULT');
        await server.restart();
        await following.resume(server.api);
        const modified_input = { expression: '6*8' };
        expect((await person.approve(following.of, approval_id, { modified_input })).status).toBe(
          200,
        );
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.list('THINKING').map(({ content }) => content)).toEqual([
          'I should calculate.',
          'Done.',
        ]);
        expect(reader.find('MESSAGE')).toMatchObject({ content: 'Both at once.' });
        expect(reader.find('ANSWER')).toMatchObject({ content: 'It is 48.' });
        expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });

        const [first, second] = bodiesFrom(start);
        expect(first).toMatchObject({
          model: 'claude-opus-4-8',
          max_tokens: 4_000,
          thinking: { type: 'adaptive' },
          output_config: { effort: 'high' },
        });
        expect(second!.messages.slice(1)).toMatchObject([
          {
            role: 'assistant',
            content: [
              ...BLOCKS,
              { type: 'text', text: 'Both at once.' },
              { type: 'tool_use', id: 'toolu_1', input: { expression: '6*8' } },
              { type: 'tool_use', id: 'toolu_2', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'toolu_1', content: '48' },
              { type: 'tool_result', tool_use_id: 'toolu_2' },
            ],
          },
        ]);

        await server.api.say('thoughts', 'Thank you');
        const [, , third] = bodiesFrom(start);
        expect(JSON.stringify(third!.messages)).toContain(JSON.stringify(SIGNATURE));
        const { final_agent_state } = await server.api.interaction(following.of);
        expect(checkConversation(final_agent_state!.messages)).toEqual([]);
      });

      it('is tried again in the middle of an answer, whose first try is void', async () => {
        const gate = new Gate();
        const overloaded = wire('error', {
          error: { type: 'overloaded_error', message: 'Overloaded' },
        });
        fake.reply({ text: ['Half', gate, overloaded] }, { text: 'The whole answer.' });
        const reader = new EventReader();
        const frames: EventFrame[] = [];
        for await (const frame of await server.api.stream('again', 'Hello?')) {
          frames.push(frame);
          if (reader.read(frame).openText === 'Half') gate.open();
        }
        expect(reader.faults).toEqual([]);
        expect(reader.find('NOTICE')).toMatchObject({
          code: 'model_retry',
          message: expect.stringContaining('Overloaded'),
          void: [expect.any(String)],
        });
        expect(reader.find('ANSWER')).toMatchObject({ content: 'The whole answer.' });
      });

      it('is asked where the first of several models is overloaded, which readers are told', async () => {
        server.fake.reply({ status: 503, body: { error: { message: `Overloaded, ${KEY}` } } });
        fake.reply({ text: 'Here I am.' });
        const model = `openai/fake, ${MODEL}`;
        const frames = await (
          await server.api.stream('chain', { user_message: 'Hi', model })
        ).all();
        const reader = await new EventReader().readAll(frames);
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'NOTICE',
          'ANSWER',
          'TURN_COMPLETED',
          'INTERACTION_COMPLETE',
        ]);
        const { code, message } = reader.find('NOTICE')!;
        expect(code).toBe('model_fallback');
        expect(message).toMatch(
          /^openai\/fake failed: .*503.* anthropic\/claude-opus-4-8 is asked instead\.$/,
        );
        expect(message).not.toContain(KEY);
        expect(reader.find('TURN_COMPLETED')).toMatchObject({ model: MODEL });
        const of = { chat_id: 'chain', id: reader.records[0]!.interaction_id };
        expect(await server.api.interaction(of)).toMatchObject({ model, status: 'COMPLETED' });
        for (const again of await resumeAfterEach(server.api, of, frames)) {
          expect(again.faults).toEqual([]);
          expect(again.records).toEqual(reader.records);
        }
      });

      it.each(['nobody/x', `${MODEL},nobody/x`, 'claude-opus-4-8', `${MODEL},`])(
        'is refused where nobody serves %s',
        async (model) => {
          const path = '/chats/unknown/interactions';
          const { status, body } = await server.api.post(path, { user_message: 'Hi', model });
          expect([status, body.type]).toEqual([400, '/problems/unknown_model']);
          expect(body.detail).toContain('Providers: openai, anthropic, demo.');
        },
      );
    });
  });
}
