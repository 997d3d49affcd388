import type { Message } from '../../protocol/message.js';
import type { ModelEvent, ModelRequest } from '../model-provider.js';
import { DemoProvider } from './demo-provider.js';

const NEVER = new AbortController().signal;
const tools = ['calculator', 'current_time'].map((name) => ({
  name,
  description: '',
  input_schema: {},
}));

function request(messages: readonly Message[]): ModelRequest {
  return { model: 'script', messages, tools };
}

async function collect(messages: readonly Message[]): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of new DemoProvider({ delayMs: 0 }).stream(request(messages), NEVER))
    events.push(event);
  return events;
}

describe(DemoProvider.name, () => {
  it('streams parallel calls as a real provider does', async () => {
    const events = await collect([{ role: 'user', content: 'what is 6*7, and what time is it?' }]);
    const calls = events.filter(({ type }) => type === 'tool_call_ready');
    expect(calls).toEqual([
      {
        type: 'tool_call_ready',
        index: 0,
        id: 'demo_1',
        name: 'calculator',
        arguments: '{"expression":"6*7"}',
      },
      { type: 'tool_call_ready', index: 1, id: 'demo_2', name: 'current_time', arguments: '{}' },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'response_completed',
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ id: 'demo_1' }, { id: 'demo_2' }] },
    });
  });

  it('streams a text word by word, without losing a character', async () => {
    const events = await collect([{ role: 'user', content: 'Hello' }]);
    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(20);
    expect(events.at(-1)).toMatchObject({
      finish_reason: 'stop',
      message: { content: deltas.join('') },
    });
  });

  it('never gives an id twice in a conversation', async () => {
    const call = {
      id: 'demo_1',
      type: 'function' as const,
      function: { name: 'calculator', arguments: '{}' },
    };
    const events = await collect([
      { role: 'user', content: 'what is 6*7' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'demo_1', content: '42' },
      { role: 'user', content: 'what is 6*8' },
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_call_started', id: 'demo_2' }),
    );
  });

  it('stops at once when aborted between two words', async () => {
    const stop = new AbortController();
    const events = new DemoProvider({ delayMs: 60_000 }).stream(
      request([{ role: 'user', content: 'Hello' }]),
      stop.signal,
    );
    await events.next();
    const next = events.next();
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });

  it('ends with an error when told to fail', async () => {
    await expect(collect([{ role: 'user', content: 'fail' }])).rejects.toMatchObject({
      code: 'model_refused',
      retryable: false,
    });
  });
});
