import { request } from 'node:http';
import { EventReader } from '../../support/client/event-reader.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import { Gate } from '../../support/gate.js';
import type { Servers } from '../servers.js';

const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const INTERACTION_ID = new RegExp(`^int_${UUID_V7}$`);
const AGENT_ID = new RegExp(`^agent_${UUID_V7}$`);
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const CALL = { name: 'calculator', arguments: { expression: '6*7' } };

export function describeFlow(servers: Servers): void {
  describe('A model that counts its tokens in a way of its own', () => {
    servers.run({ MAX_TOKENS: '0' }, (server) => {
      it.each([
        ['in parts', [12.5, 3], 16],
        ['in billions', [2e9, 2e9], 4e9],
        ['beyond all numbers', [1e300, 1e300], Number.MAX_SAFE_INTEGER],
        ['below zero', [-7, 5], 'estimated'],
        ['in words', ['twelve', 5], 'estimated'],
      ])('%s is asked once per turn, and its answer arrives', async (name, counts, sum) => {
        const [first, second] = counts.map((count) => ({
          usage: { prompt_tokens: count as number, completion_tokens: 2 },
        }));
        server.fake.reply({ ...first, calls: [CALL] }, { ...second, text: '42' });
        const asked = server.fake.requests.length;
        const chat = `usage-${name.replaceAll(' ', '-')}`;
        const reader = await server.api.say(chat, { user_message: 'What is 6*7?' });
        expect(reader.faults).toEqual([]);
        expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
        const [interaction] = (await server.api.get(`/chats/${chat}`)).body.interactions;
        const isEstimated = sum === 'estimated';
        const input_tokens = isEstimated ? expect.any(Number) : sum;
        expect(interaction.usage).toEqual({ input_tokens, output_tokens: 4 });
        expect(interaction.usage.input_tokens).toBeGreaterThan(5);
        const notices = reader.list('NOTICE').map(({ code }) => code);
        expect(notices).toEqual(isEstimated ? ['usage_estimated'] : []);
        expect(server.fake.requests).toHaveLength(asked + 2);
      });
    });
  });

  describe('A message that needs a tool', () => {
    servers.run({}, (server) => {
      const sayIt = async (chat: string) => {
        server.fake.reply(
          {
            thinking: 'I should compute.',
            text: 'Let me see.',
            calls: [{ name: 'calculator', arguments: { expression: '6*7' } }],
          },
          { text: 'The answer is 42.' },
        );
        return server.api.stream(chat, 'What is 6*7?');
      };

      it('streams what the agent does, in the order and the shapes of the contract', async () => {
        const frames = await (await sayIt('flow')).all();
        const reader = await new EventReader().readAll(frames);
        expect(reader.faults).toEqual([]);
        expect(withoutRepeats(frames)).toEqual([
          'interaction_started',
          'thinking_delta',
          'text_delta',
          'tool_input_delta',
          'thinking',
          'message',
          'tool_call',
          'turn_completed',
          'tool_started',
          'tool_result',
          'text_delta',
          'answer',
          'turn_completed',
          'interaction_complete',
        ]);
        const [started] = reader.records;
        const { interaction_id, agent_id } = started!;
        expect(interaction_id).toMatch(INTERACTION_ID);
        expect(agent_id).toMatch(AGENT_ID);
        const record = (seq: number, type: string) => ({
          type,
          interaction_id,
          agent_id,
          seq,
          at: expect.stringMatching(ISO_TIME),
        });
        const call = reader.find('TOOL_CALL')!;
        expect(reader.records).toEqual([
          {
            ...record(1, 'INTERACTION_STARTED'),
            by: { kind: 'user', user_id: 'local' },
            chat_id: 'flow',
            user_message: 'What is 6*7?',
            agent: 'react',
            model: 'openai/fake',
            parent_id: null,
          },
          {
            ...record(2, 'THINKING'),
            block_id: reader.find('THINKING')!.block_id,
            content: 'I should compute.',
          },
          {
            ...record(3, 'MESSAGE'),
            block_id: reader.find('MESSAGE')!.block_id,
            content: 'Let me see.',
          },
          {
            ...record(4, 'TOOL_CALL'),
            id: expect.any(String),
            block_id: call.block_id,
            tool_name: 'calculator',
            tool_input: '{"expression":"6*7"}',
          },
          {
            ...record(5, 'TURN_COMPLETED'),
            model: 'openai/fake',
            finish_reason: 'tool_calls',
            usage: { input_tokens: 10, output_tokens: 5 },
            duration_ms: expect.any(Number),
          },
          { ...record(6, 'TOOL_STARTED'), id: call.id, tool_name: 'calculator' },
          {
            ...record(7, 'TOOL_RESULT'),
            id: call.id,
            tool_name: 'calculator',
            tool_output: '42',
            is_error: false,
            duration_ms: expect.any(Number),
          },
          {
            ...record(8, 'ANSWER'),
            block_id: expect.any(String),
            content: 'The answer is 42.',
          },
          expect.objectContaining({ ...record(9, 'TURN_COMPLETED'), finish_reason: 'stop' }),
          { ...record(10, 'INTERACTION_COMPLETE'), status: 'COMPLETED' },
        ]);
      });

      it('gives tool input deltas the id of their call, and other deltas none', async () => {
        const frames = await (await sayIt('deltas')).all();
        const { id } = (await new EventReader().readAll(frames)).find('TOOL_CALL')!;
        for (const { event, data } of frames.filter((frame) => frame.event.endsWith('_delta')))
          if (event === 'tool_input_delta') expect(data).toMatchObject({ tool_call_id: id });
          else expect(data).not.toHaveProperty('tool_call_id');
      });

      it('answers with the headers of a stream that no proxy keeps back, and says when to come back', async () => {
        const stream = await sayIt('headers');
        const { headers } = stream.response;
        expect(stream.status).toBe(200);
        expect(headers.get('content-type')).toBe('text/event-stream');
        expect(headers.get('cache-control')).toMatch(/\bno-cache\b/);
        expect(headers.get('connection')).toBe('keep-alive');
        expect(headers.get('x-accel-buffering')).toBe('no');
        await stream.all();
        expect(stream.retry).toBeGreaterThanOrEqual(1000);
        expect(stream.retry).toBeLessThanOrEqual(5000);
      });

      it('keeps the interaction, with its events, its state and what it used', async () => {
        const reader = await new EventReader().readAll(await sayIt('kept'));
        const { interaction_id: id, at } = reader.records.at(-1)!;
        const interaction = await server.api.interaction({ chat_id: 'kept', id });
        expect(interaction).toEqual({
          id,
          chat_id: 'kept',
          parent_id: null,
          status: 'COMPLETED',
          user_message: 'What is 6*7?',
          agent: 'react',
          agent_id: reader.records[0]!.agent_id,
          edited_from: null,
          answer: 'The answer is 42.',
          finish_reason: 'stop',
          model: 'openai/fake',
          agent_events: reader.records.filter(({ type }) =>
            ['TOOL_CALL', 'TOOL_RESULT', 'THINKING', 'MESSAGE', 'ANSWER'].includes(type),
          ),
          final_agent_state: {
            messages: [
              { role: 'user', content: 'What is 6*7?' },
              expect.objectContaining({
                role: 'assistant',
                content: 'Let me see.',
                tool_calls: [
                  {
                    id: expect.any(String),
                    type: 'function',
                    function: { name: 'calculator', arguments: '{"expression":"6*7"}' },
                  },
                ],
              }),
              { role: 'tool', tool_call_id: expect.any(String), content: '42' },
              { role: 'assistant', content: 'The answer is 42.' },
            ],
          },
          usage: { input_tokens: 20, output_tokens: 10 },
          error: null,
          files: [],
          created_at: expect.stringMatching(ISO_TIME),
          completed_at: expect.stringMatching(ISO_TIME),
          superseded_at: null,
          last_seq: 10,
          metadata: {},
          cut: null,
        });
        expect(Date.parse(interaction.completed_at!)).toBeGreaterThanOrEqual(Date.parse(at) - 1000);
      });

      it('runs in the background and answers 202 where the client accepts JSON', async () => {
        server.fake.reply({ text: 'In peace.' });
        const reply = await server.api.post(
          '/chats/background/interactions',
          { user_message: 'Take your time', metadata: { ticket: 7 } },
          { accept: 'application/json' },
        );
        expect(reply.status).toBe(202);
        expect(reply.body).toMatchObject({
          status: 'RUNNING',
          final_agent_state: null,
          metadata: { ticket: 7 },
        });
        expect(reply.headers.get('location')).toBe(
          `/chats/background/interactions/${reply.body.id}/events`,
        );
        const reader = await server.api.follow(reply.body);
        expect(reader.faults).toEqual([]);
        expect(reader.find('ANSWER')).toMatchObject({ content: 'In peace.' });
        expect(await server.api.interaction(reply.body)).toMatchObject({ status: 'COMPLETED' });
      });

      it.each([
        [['application/json, text/event-stream']],
        [['application/json', 'text/event-stream;q=1']],
      ])('streams to a client that accepts a stream as well as JSON: %j', async (accept) => {
        const type = await new Promise((resolve, reject) => {
          const asked = request(`${server.api.url}/chats/accept/interactions`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept, ...server.api.headers },
          });
          asked.on('error', reject).on('response', (response) => {
            response.resume().on('end', () => resolve(response.headers['content-type']));
          });
          asked.end(JSON.stringify({ user_message: 'Hi' }));
        });
        expect(type).toMatch('text/event-stream');
      });

      it('shows provider events that nobody knows to those who ask for them', async () => {
        const odd = { raw: 'data: {"object":"weather.report","rain":true}\n\n' };
        const turn = { text: ['Hello', odd, ' there.'] };
        server.fake.reply(turn, turn);
        const asked = await (await server.api.stream('trace', 'Hi', {}, '?trace=1')).all();
        const unasked = await (await server.api.stream('trace', 'Hi')).all();
        const traces = asked.filter(({ event }) => event === 'trace');
        expect(traces).toHaveLength(1);
        expect(traces[0]!.data).toMatchObject({ type: 'TRACE', name: expect.any(String) });
        expect(JSON.stringify(traces[0]!.data)).toContain('rain');
        expect((await new EventReader().readAll(asked)).faults).toEqual([]);
        expect(unasked.map(({ event }) => event)).not.toContain('trace');
      });

      it('plays the same with the demo script for a model', async () => {
        const reader = await server.api.say('demo', {
          user_message: 'What is 6*7?',
          model: 'demo/script',
        });
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'THINKING',
          'TOOL_CALL',
          'TURN_COMPLETED',
          'TOOL_STARTED',
          'TOOL_RESULT',
          'ANSWER',
          'TURN_COMPLETED',
          'INTERACTION_COMPLETE',
        ]);
        expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: '42' });
        expect(reader.find('ANSWER')?.content).toContain('42');
      });
    });

    servers.run({ HEARTBEAT_MS: '20' }, (server) => {
      it('beats with comments while nothing happens', async () => {
        const gate = new Gate();
        server.fake.reply({ text: ['Wait', gate, ' for it.'] });
        const stream = await server.api.stream('heartbeat', 'Slowly, please');
        await gate.reached;
        stream.onHeartbeat = () => gate.open(); // else it would never end
        const reader = await new EventReader().readAll(stream);
        expect(reader.faults).toEqual([]);
        expect(reader.find('ANSWER')).toMatchObject({ content: 'Wait for it.' });
      });
    });
  });
}

/** The events as they come, those of one kind in a row as one. */
function withoutRepeats(frames: readonly EventFrame[]): string[] {
  const events = frames.map(({ event }) => event);
  return events.filter((event, i) => event !== events[i - 1]);
}
