import type { ModelEvent, ModelRequest } from '../../models/model-provider.js';
import type { AssistantMessage } from '../../protocol/message.js';
import { dropToolCalls } from './turn-request.js';

const USAGE = { input_tokens: 1, output_tokens: 1 };

async function heard(
  request: Partial<ModelRequest>,
  events: readonly ModelEvent[],
): Promise<ModelEvent[]> {
  const stream = (async function* () {
    yield* events;
  })();
  const asked = { model: 'm', messages: [], ...request };
  const left: ModelEvent[] = [];
  for await (const event of dropToolCalls(asked, stream)) left.push(event);
  return left;
}

describe(dropToolCalls.name, () => {
  const call = { id: 'c', type: 'function', function: { name: 'dump', arguments: '{}' } } as const;
  const said: AssistantMessage = {
    role: 'assistant',
    content: 'Fine.',
    provider_data: { vendor: ['as it came'] },
  };
  const message: AssistantMessage = { ...said, tool_calls: [call] };
  const turn: ModelEvent[] = [
    { type: 'text_delta', delta: 'Fine.' },
    { type: 'tool_call_started', index: 0, id: 'c', name: 'dump' },
    { type: 'tool_call_args_delta', index: 0, delta: '{}' },
    { type: 'tool_call_ready', index: 0, id: 'c', name: 'dump', arguments: '{}' },
    { type: 'response_completed', message, finish_reason: 'tool_calls', usage: USAGE },
  ];

  it('leaves calls out where none was to be made, and what the provider wants back of them', async () => {
    expect(await heard({ tool_choice: 'none' }, turn)).toEqual([
      turn[0],
      {
        type: 'response_completed',
        message: { role: 'assistant', content: 'Fine.' },
        finish_reason: 'stop',
        usage: USAGE,
      },
    ]);
  });

  it.each([{}, { tool_choice: 'auto' }, { tool_choice: 'required' }] as const)(
    'leaves a turn with %j as it is',
    async (request) => {
      expect(await heard(request, turn)).toEqual(turn);
    },
  );

  it('leaves what a provider wants back of a turn without calls', async () => {
    const completed: ModelEvent = {
      ...{ type: 'response_completed', finish_reason: 'length', usage: USAGE },
      message: said,
    };
    expect(await heard({ tool_choice: 'none' }, [completed])).toEqual([completed]);
  });
});
