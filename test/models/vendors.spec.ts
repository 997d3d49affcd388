import { AnthropicProvider } from '../../src/models/anthropic/anthropic-provider.js';
import type { HttpProvider } from '../../src/models/http/http-provider.js';
import type { ModelEvent, ModelRequest, ModelTool } from '../../src/models/model-provider.js';
import { OpenAiProvider } from '../../src/models/openai/openai-provider.js';
import type { AssistantMessage, Message } from '../../src/protocol/message.js';
import { FakeVendor, StrictAnthropic } from '../support/model/fake-vendor.js';
import { collect, failure, joined, ready, REQUEST } from '../support/model/provider-probe.js';
import type { VendorName } from '../support/model/vendor-rules.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(vendor: VendorName) {
  const fake = await FakeVendor.open(vendor);
  const provider = new OpenAiProvider({ baseUrl: fake.baseUrl });
  closing.push(
    () => provider.close(),
    () => fake.stop(),
  );
  return { fake, provider };
}

async function openAnthropic() {
  const fake = await StrictAnthropic.open();
  const provider = new AnthropicProvider({ apiKey: 'k', baseUrl: fake.baseUrl });
  closing.push(
    () => provider.close(),
    () => fake.stop(),
  );
  return { fake, provider };
}

const user = (content: string): Message => ({ role: 'user', content });
const result = (tool_call_id: string): Message => ({ role: 'tool', tool_call_id, content: 'noon' });
const tool = (
  name: string,
  input_schema: object = { type: 'object', properties: {} },
): ModelTool => ({
  ...{ name, description: `Does ${name}` },
  input_schema: { ...input_schema },
});
const clock = tool('clock');
const called: AssistantMessage = {
  ...{ role: 'assistant', content: null },
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'clock', arguments: '{}' } }],
};

async function turn(provider: HttpProvider, request: Partial<ModelRequest> = {}) {
  const events = await collect(provider, { ...REQUEST, ...request });
  const last = events.at(-1);
  if (last?.type !== 'response_completed') throw new Error('no end');
  // as it comes back out of a log
  return { events, ...(JSON.parse(JSON.stringify(last)) as typeof last) };
}

const notices = (events: readonly ModelEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));

describe('A vendor that wants back what its model wrote', () => {
  it.each(['deepseek', 'kimi'] as const)('of its thoughts: %s', async (vendor) => {
    const { fake, provider } = await open(vendor);
    fake.reply({ thinking: 'Hm', calls: [{ id: 'c1', name: 'clock', arguments: {} }] });
    const { message } = await turn(provider, { tools: [clock] });
    const messages = [user('Hi'), message, result('c1')];
    const { events } = await turn(provider, { messages, tools: [clock] });
    expect([fake.refused, fake.violations, notices(events)]).toEqual([[], [], []]);
    expect(fake.requests.at(-1)!.body.messages[1].reasoning_content).toBe('Hm');
  });

  it.each(['deepseek', 'kimi'] as const)(
    'of messages that another model wrote, in %s, once for all turns',
    async (vendor) => {
      const { fake, provider } = await open(vendor);
      const messages = [user('Hi'), called, result('c1')];
      const { events } = await turn(provider, { messages, tools: [clock] });
      expect(notices(events)).toEqual([expect.stringContaining('get a placeholder')]);
      await turn(provider, { messages, tools: [clock] });
      expect(fake.refused).toHaveLength(1);
    },
  );

  it.each([
    ['under another name', { reasoning: 'Hm' }, { reasoning: 'Hm' }],
    [
      'as a list that grows',
      { reasoning: 'H', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'H' }] },
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'H' }] },
    ],
    ['as a signature', { extra_content: { google: { thought_signature: 'c2ln' } } }, undefined],
  ])('of thoughts %s', async (_, delta, expected) => {
    const { fake, provider } = await open('local');
    const steps = [
      { data: { choices: [{ delta: { ...delta, content: 'So.' }, finish_reason: 'stop' }] } },
      { raw: 'data: [DONE]\n\n' },
    ];
    fake.reply({ steps });
    const { message } = await turn(provider);
    await collect(provider, { ...REQUEST, messages: [user('Hi'), message, user('So?')] }).catch(
      () => {},
    );
    expect(fake.requests[1]!.body.messages[1]).toEqual({
      ...{ role: 'assistant', content: 'So.' },
      ...(expected ?? delta),
    });
  });

  it('of its calls: the signature of each', async () => {
    const { fake, provider } = await open('gemini');
    const extra_content = { google: { thought_signature: 'c2ln' } };
    const call = { index: 0, id: 'c1', type: 'function', extra_content };
    const delta = { tool_calls: [{ ...call, function: { name: 'clock', arguments: '{}' } }] };
    fake.reply({
      steps: [
        { data: { choices: [{ delta, finish_reason: 'tool_calls' }] } },
        { raw: 'data: [DONE]\n\n' },
      ],
    });
    const { message } = await turn(provider, { tools: [clock] });
    await turn(provider, { messages: [user('Hi'), message, result('c1')], tools: [clock] });
    expect(fake.refused).toEqual([]);
    const [sent] = fake.requests[1]!.body.messages[1].tool_calls;
    expect(sent).toMatchObject({ id: 'c1', extra_content });
  });

  it('of calls that it did not sign', async () => {
    const { fake, provider } = await open('gemini');
    await turn(provider, { messages: [user('Hi'), called, result('c1')], tools: [clock] });
    expect(fake.refused).toHaveLength(1);
  });

  it('gets nothing that another endpoint or model has sent', async () => {
    const one = await open('local');
    one.fake.reply({ thinking: 'Secret', text: 'Hi' });
    const { message } = await turn(one.provider);
    const other = await open('local');
    const messages = [user('Hi'), message, user('So?')];
    await turn(other.provider, { messages });
    await turn(one.provider, { messages, model: 'other' });
    const sent = [other.fake.requests[0], one.fake.requests[1]].map((request) => request!.body);
    expect(JSON.stringify(sent)).not.toContain('Secret');
  });

  it('and one that refuses it is not sent it again', async () => {
    const { fake, provider } = await open('groq');
    const delta = { reasoning: 'Hm', content: 'So.' };
    fake.reply({ steps: [{ data: { choices: [{ delta, finish_reason: 'stop' }] } }] });
    const { message } = await turn(provider);
    const messages = [user('Hi'), message, user('So?')];
    expect(notices((await turn(provider, { messages })).events)).toHaveLength(1);
    await turn(provider, { messages });
    expect(fake.refused).toHaveLength(1);
  });
});

describe('Thoughts without a signature', () => {
  it.each([undefined, null, 7, '', ' '])(
    'are not sent back to a vendor that signs: %j',
    async (signature) => {
      const { fake, provider } = await openAnthropic();
      const steps = [
        { type: 'message_start', message: { usage: { input_tokens: 1 } } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'thinking', thinking: 'Hm', signature },
        },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'c1', name: 'clock', input: {} },
        },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      ].map((data) => ({ data }));
      fake.reply({ steps });
      const { message } = await turn(provider, { tools: [clock] });
      expect(message.provider_data).toBeUndefined();
      await turn(provider, { messages: [user('Hi'), message, result('c1')], tools: [clock] });
      expect(fake.violations).toEqual([]);
    },
  );
});

describe('A template that is strict about roles', () => {
  const withNotes: readonly Message[] = [
    { role: 'system', content: 'It is winter.' },
    ...[user('Hi'), user('Still there?')],
  ];

  it.each(['template', 'gemma'] as const)(
    'gets a conversation that it takes: %s',
    async (vendor) => {
      const { fake, provider } = await open(vendor);
      await turn(provider, { instructions: 'Be brief.', messages: withNotes });
      const messages: Message[] = [
        { role: 'assistant', content: 'Welcome!' },
        ...[user('Hi'), { role: 'assistant', content: 'Yes' } as const],
        { role: 'assistant', content: 'So?' },
      ];
      await turn(provider, { instructions: 'Be brief.', messages });
      expect(fake.violations).toEqual([]);
      expect(fake.refused.length).toBe(vendor === 'gemma' ? 2 : 1);
    },
  );

  const silent = (content: string | null): Message => ({ role: 'assistant', content });
  it.each([
    ['a turn that failed', [user('Hi'), user('Still there?')]],
    ['two turns that failed', [user('Hi'), user('Hm'), user('Still there?')]],
    ['a turn that was cancelled before a word', [user('Hi'), silent(''), user('Still there?')]],
    ['a turn without content', [user('Hi'), silent(null), user('Still there?')]],
    ['a turn of blanks', [user('Hi'), silent(' \n'), user('Still there?')]],
    ['a turn that was cancelled in a word', [user('Hi'), silent('Ye'), user('Still there?')]],
    ['two answers', [user('Hi'), silent('Yes'), silent('And?'), user('Still there?')]],
    ['an answer first', [silent('Welcome!'), user('Still there?')]],
    ['an answer last', [user('Still there?'), silent('Yes')]],
    [
      'a system message in the middle',
      [user('Hi'), { role: 'system', content: 'It is winter.' }, user('Still there?')],
    ],
    ['a system message last', [user('Still there?'), { role: 'system', content: 'It is winter.' }]],
    [
      'a message after the result of a tool',
      [user('Hi'), called, result('c1'), user('Still there?')],
    ],
  ] satisfies [string, Message[]][])('takes a conversation with %s', async (_, messages) => {
    const { fake, provider } = await open('template');
    await turn(provider, { instructions: 'Be brief.', messages, tools: [clock] });
    const { messages: sent } = fake.requests.at(-1)!.body;
    expect(fake.violations).toEqual([]);
    expect(fake.refused.length).toBeLessThanOrEqual(1);
    expect(JSON.stringify(sent)).toContain('Still there?');
    expect(sent.filter(({ content }: Message) => content === '')).toEqual([]);
    await turn(provider, { instructions: 'Be brief.', messages, tools: [clock] });
    expect(fake.refused.length).toBeLessThanOrEqual(1);
  });

  it.each([
    'Conversation roles must alternate user/assistant/user/assistant/... at row 12, column 28',
    'Error rendering prompt with jinja template: "Conversation roles must alternate"',
  ])('may say so with a 500: %s', async (message) => {
    const { fake, provider } = await open('local');
    fake.reply({ status: 500, body: { error: { code: 500, message, type: 'server_error' } } });
    const { events } = await turn(provider, { messages: [user('Hi'), user('Still there?')] });
    expect(notices(events)).toEqual([expect.stringContaining('take turns')]);
    const { messages: sent } = fake.requests.at(-1)!.body;
    expect(sent).toEqual([{ role: 'user', content: 'Hi\n\nStill there?' }]);
  });

  it.each(['Out of memory', 'jinja template failed at row 1'])(
    'is changed after no other 500: %s',
    async (message) => {
      const { fake, provider } = await open('local');
      fake.reply({ status: 500, body: { error: { code: 500, message } } });
      expect(await failure(provider)).toMatchObject({ retryable: true });
      expect(fake.requests).toHaveLength(1);
    },
  );

  it('hears no user right after a tool', async () => {
    const { fake, provider } = await open('mistral');
    const own = {
      ...called,
      tool_calls: called.tool_calls!.map((call) => ({ ...call, id: 'aB3456789' })),
    };
    await turn(provider, {
      messages: [user('Hi'), own, result('aB3456789'), user('And?')],
      tools: [clock],
    });
    expect(fake.refused).toHaveLength(1);
    expect(fake.violations).toEqual([]);
  });
});

describe('Ids of calls that another vendor made', () => {
  it('are short where a vendor wants that, the same for a call and its result', async () => {
    const { fake, provider } = await open('mistral');
    const ids = ['toolu_01A', 'call_x', 'aB3456789', 'call_x_2'];
    const tool_calls = ids.map((id) => ({ ...called.tool_calls![0]!, id }));
    const messages = [user('Hi'), { ...called, tool_calls }, ...ids.map(result)];
    const { events } = await turn(provider, { messages, tools: [clock] });
    expect(notices(events)).toEqual([expect.stringContaining('nine letters and digits')]);
    await turn(provider, { messages, tools: [clock] });
    expect([fake.refused.length, fake.violations]).toEqual([1, []]);
    const [, sent] = fake.requests.at(-1)!.body['messages'];
    const shown = sent.tool_calls.map(({ id }: { id: string }) => id);
    expect([new Set(shown).size, shown[2]]).toEqual([4, 'aB3456789']);
  });
});

describe('An option that a vendor does not know', () => {
  it('has the other name', async () => {
    const { fake, provider } = await open('openai');
    await turn(provider, { max_output_tokens: 50 });
    await turn(provider, { max_output_tokens: 50 });
    expect(fake.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [50, undefined],
      [undefined, 50],
      [undefined, 50],
    ]);
  });

  it('has the usual name for others', async () => {
    const { fake, provider } = await open('mistral');
    await turn(provider, { max_output_tokens: 50 });
    expect(fake.refused).toEqual([]);
  });

  it('is the schema of an answer, which is then asked for in words', async () => {
    const { fake, provider } = await open('deepseek');
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    await turn(provider, { schema });
    expect(fake.requests[1]!.body).toMatchObject({
      response_format: { type: 'json_object' },
      messages: [{ role: 'system', content: expect.stringContaining('"ok"') }, {}],
    });
  });

  it.each([
    ['stream_options', {}, 'Unrecognized request argument supplied: stream_options'],
    ['reasoning_effort', { thinking: 'low' }, 'reasoning_effort is not supported by this model'],
    [
      'temperature',
      { temperature: 0.2 },
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    ],
    [
      'tool_choice',
      { tools: [clock], tool_choice: 'required' },
      'Thinking mode does not support this tool_choice',
    ],
  ] as const)('is left out: %s', async (name, request, message) => {
    const { fake, provider } = await open('local');
    fake.reply({ status: 400, body: { error: { message } } });
    await turn(provider, request);
    expect(fake.requests.map(({ body }) => body[name] !== undefined)).toEqual([true, false]);
  });

  it.each([400, 404, 422])('is remembered for the model, after a %i', async (status) => {
    const { fake, provider } = await open('local');
    const message = "property 'stream_options' is unsupported";
    fake.reply({ status, body: { detail: message } });
    expect(notices((await turn(provider)).events)).toEqual([expect.stringContaining(message)]);
    expect(notices((await turn(provider)).events)).toEqual([]);
    await turn(provider, { model: 'other' });
    const sent = fake.requests.map(({ body }) => body.stream_options !== undefined);
    expect(sent).toEqual([true, false, false, true]);
  });

  it('of the temperature is told again in each turn that asks for one', async () => {
    const { fake, provider } = await open('local');
    fake.reply({ status: 400, body: { error: { message: 'temperature is not supported' } } });
    await turn(provider, { temperature: 0.2 });
    const { events } = await turn(provider, { temperature: 0.2 });
    expect(notices(events)).toEqual(['openai/fake does not take temperature: left out.']);
    expect(notices((await turn(provider)).events)).toEqual([]);
  });

  it.each([
    'temperature: Input should be less than or equal to 1',
    '`temperature` may only be set to 1 when thinking is enabled',
    '`temperature` and `top_p` cannot both be specified for this model',
  ])('of this temperature is forgotten after the turn: %s', async (message) => {
    const { fake, provider } = await openAnthropic();
    fake.reply({ status: 400, body: { error: { type: 'invalid_request_error', message } } });
    await turn(provider, { temperature: 0.2 });
    await turn(provider, { temperature: 0.2 });
    expect(fake.requests.map(({ body }) => body.temperature)).toEqual([0.2, undefined, 0.2]);
  });

  it('is none that a request can do without', async () => {
    const { fake, provider } = await open('local');
    const asked = { instructions: 'Be brief.', thinking: 'low', max_output_tokens: 5 } as const;
    const schema = { type: 'object', properties: {} };
    await turn(provider, { ...asked, tools: [clock], tool_choice: 'required', schema });
    const needed = ['model', 'messages', 'stream', 'stream_options'];
    const requested = ['tools', 'tool_choice', 'response_format', 'reasoning_effort', 'max_tokens'];
    expect(Object.keys(fake.requests[0]!.body)).toEqual([...needed, ...requested]);
    const declared = fake.requests[0]!.body.tools[0].function;
    expect(Object.keys(declared)).toEqual(['name', 'description', 'parameters']);
  });

  it('is refused in a stream, too', async () => {
    const { fake, provider } = await open('local');
    const error = { message: 'Unsupported parameter: max_tokens', code: 400 };
    fake.reply({ steps: [{ data: { error } }] });
    await turn(provider, { max_output_tokens: 5 });
    expect(fake.requests).toHaveLength(2);
  });

  it('ends the turn if nothing helps', async () => {
    const { fake, provider } = await open('local');
    const message = "Unsupported parameter: 'max_tokens', 'max_completion_tokens'";
    fake.otherwise({ status: 400, body: { error: { message } } });
    expect(await failure(provider, { ...REQUEST, max_output_tokens: 5 })).toMatchObject({
      code: 'model_refused',
    });
    expect(fake.requests.length).toBeLessThanOrEqual(3);
  });
});

const ODD = {
  type: 'object',
  properties: {
    $filter: { type: 'string' },
    route: { type: 'string' },
    file: { type: 'object', properties: { näme: { type: 'string' } }, required: ['näme'] },
  },
  required: ['$filter'],
  anyOf: [{ required: ['route'] }, { required: ['file'] }],
};

describe('A schema that vendors refuse', () => {
  const args = { $filter: 'id eq 1234567890123456789', file: { näme: 'x' } };

  it.each([
    ['Anthropic', openAnthropic],
    ['OpenAI', () => open('openai')],
  ])('is sent to %s in its form, and calls come back with the original names', async (_, start) => {
    const { fake, provider } = await start();
    const tools = [clock, tool('query', ODD)];
    const sent = { _filter: args.$filter, file: { n_me: 'x' } };
    (fake as FakeVendor).reply({ calls: [{ id: 'c1', name: 'query', arguments: sent }] });
    const { events, message } = await turn(provider, { tools });
    expect([fake.refused, fake.violations]).toEqual([[], []]);
    expect(ready(events)).toEqual([[0, 'c1', 'query', JSON.stringify(args)]]);
    expect(joined(events, 'tool_call_args_delta')).toBe(JSON.stringify(args));
    expect(message.tool_calls![0]!.function.arguments).toBe(JSON.stringify(args));
    await turn(provider, { tools, messages: [user('Hi'), message, result('c1')] });
    expect(JSON.stringify(fake.requests[1]!.body)).toContain('_filter');
    expect(JSON.stringify(fake.requests[1]!.body.messages)).not.toContain('$filter');
  });

  it('is sent to Gemini in the part of JSON Schema that it knows', async () => {
    const { fake, provider } = await open('gemini');
    const schema = {
      ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
      $defs: { Point: { type: 'object', properties: { x: { type: ['integer', 'null'] } } } },
      properties: { at: { $ref: '#/$defs/Point' }, kind: { const: 'a' }, list: { type: 'array' } },
      additionalProperties: false,
    };
    await turn(provider, { tools: [tool('draw', schema)] });
    expect(fake.refused).toHaveLength(1);
    expect(fake.requests[1]!.body.tools[0].function.parameters).toEqual({
      type: 'object',
      properties: {
        at: { type: 'object', properties: { x: { type: 'integer', nullable: true } } },
        kind: { type: 'string', enum: ['a'] },
        list: { type: 'array', items: { type: 'string' } },
      },
    });
  });

  it('is simplified if it is refused', async () => {
    const { fake, provider } = await open('openai');
    const list = { type: 'array', items: { type: 'string' }, uniqueItems: true };
    const tools = [clock, tool('sort', { type: 'object', properties: { list } })];
    await turn(provider, { tools });
    expect(fake.requests[1]!.body.tools).toHaveLength(2);
  });

  it.each([
    ['Anthropic', openAnthropic],
    ['OpenAI', () => open('openai')],
  ])('costs that tool alone at %s, which people are told', async (_, start) => {
    const { fake, provider } = await start();
    const bad = tool('bad', { type: 'object', properties: { x: { description: 'never taken' } } });
    const tools = [clock, bad, tool('sun')];
    const { events } = await turn(provider, { tools });
    expect(fake.requests.at(-1)!.body.tools).toHaveLength(2);
    expect(notices(events).at(-1)).toContain('Left out: bad.');
    expect(fake.refused).toHaveLength(2);
    const again = await turn(provider, { tools: [clock, { ...bad }] });
    expect(fake.refused).toHaveLength(2);
    expect(notices(again.events)).toEqual([expect.stringContaining('Left out: bad.')]);
  });
});

describe('More tools than a vendor takes', () => {
  it('are cut to those that were preferred and called last, and people are told', async () => {
    const { fake, provider } = await open('openai');
    const tools = Array.from({ length: 150 }, (_, n) => tool(`t${String(n).padStart(3, '0')}`));
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 't149', arguments: '{}' },
    } as const;
    const messages = [user('Hi'), { ...called, tool_calls: [call] }, result('c1')];
    const { events } = await turn(provider, { tools, messages, preferred_tools: ['t140'] });
    const sent = fake.requests[1]!.body['tools'] as readonly { function: { name: string } }[];
    const names = sent.map((each) => each.function.name);
    expect(names).toHaveLength(128);
    expect(names.slice(-3)).toEqual(['t125', 't140', 't149']);
    expect(notices(events).at(-1)).toContain('gets 128 of 150 tools');
    await turn(provider, { tools, messages });
    expect(fake.requests).toHaveLength(3);
    await turn(provider, { tools, messages, preferred_tools: tools.map(({ name }) => name) });
    expect(JSON.stringify(fake.requests.at(-1)!.body['tools'])).toContain('"t149"');
  });
});

describe('Halves of characters', () => {
  it.each([
    ['Anthropic', openAnthropic],
    ['OpenAI', () => open('local')],
  ])('never reach %s, whoever wrote them', async (_, start) => {
    const { fake, provider } = await start();
    const args = {
      type: 'function',
      function: { name: 'clock', arguments: '{"a":"\\ud83d"}' },
    } as const;
    const messages: Message[] = [
      { role: 'system', content: 'a\ud83d' },
      user('b\udc4b'),
      { role: 'assistant', content: 'c\ud83d', tool_calls: [{ id: 'c1', ...args }] },
      { role: 'tool', tool_call_id: 'c1', content: 'd\ud83d' },
    ];
    await turn(provider, { messages, tools: [tool('clock', { description: 'e\ud83d' })] });
    const lone = /(?<!\\)\\ud[89a-f]/;
    expect(JSON.stringify(fake.requests[0]!.body)).not.toMatch(lone);
  });
});
