import { AnthropicProvider } from '../../src/models/anthropic/anthropic-provider.js';
import type { ModelRequest } from '../../src/models/model-provider.js';
import type { AssistantMessage, Message } from '../../src/protocol/message.js';
import {
  blockDelta,
  messageEnd,
  messageStart,
  messageSteps,
  wire,
} from '../support/model/fake-anthropic-turn.js';
import { FakeAnthropic } from '../support/model/fake-anthropic.js';
import type { ChatBody } from '../support/model/fake-model.js';
import { IMAGES } from '../support/tools/images.js';
import { Gate } from '../support/gate.js';
import {
  collect,
  errorOf,
  everything,
  failure,
  joined,
  LOOKED,
  NEVER,
  ready,
  REQUEST,
} from '../support/model/provider-probe.js';

const KEY = 'sk-ant-secret-0123456789';
const MODEL = 'claude-opus-4-8';
/** Bytes that a careless copy would change. */
const SIGNATURE = 'EqQBCkYIBRgCKkDz+/=ü👍🏽\u2028"\\ end ';
const PIXEL = 'iVBORw0KGgo=';
const MARK = { cache_control: { type: 'ephemeral' } };

describe(AnthropicProvider.name, () => {
  let fake: FakeAnthropic;
  let provider: AnthropicProvider;

  beforeEach(async () => {
    fake = await FakeAnthropic.start();
    provider = new AnthropicProvider({ apiKey: KEY, baseUrl: fake.baseUrl });
  });

  afterEach(async () => {
    provider.close();
    await fake.stop();
    expect(fake.violations).toEqual([]);
  });

  /** What is asked of the vendor. */
  async function asked(request: Partial<ModelRequest>): Promise<ChatBody> {
    await collect(provider, { ...REQUEST, model: MODEL, ...request });
    return fake.requests.at(-1)!.body;
  }

  /** The message that a turn ends with. */
  async function message(request = REQUEST): Promise<AssistantMessage> {
    const last = (await collect(provider, request)).at(-1);
    if (last?.type !== 'response_completed') throw new Error('no end');
    return last.message;
  }

  const user = (content: string): Message => ({ role: 'user', content });
  const tool = (name: string) => ({
    name,
    description: `Does ${name}`,
    input_schema: { type: 'object', properties: {} },
  });
  const asks = (content: string | null, ...ids: string[]): AssistantMessage => ({
    role: 'assistant',
    content,
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'clock', arguments: '{"zone":"UTC"}' },
    })),
  });
  const result = (tool_call_id: string, content: string): Message => ({
    role: 'tool',
    tool_call_id,
    content,
  });

  describe('what it asks', () => {
    it('shows what a tool shows in its result', async () => {
      const { messages } = await asked({ messages: LOOKED.messages });
      const source = { type: 'base64', media_type: 'image/png', data: IMAGES.png };
      expect(messages[2].content).toEqual([
        {
          ...{ type: 'tool_result', tool_use_id: 'c1' },
          content: [
            { type: 'text', text: 'a.png is an image' },
            { type: 'image', source },
          ],
        },
        { type: 'tool_result', tool_use_id: 'c2', content: 'noon', ...MARK },
      ]);
    });

    it('tells a model that can’t see so, and sends it no image', async () => {
      const { messages } = await asked({ ...LOOKED, model: 'claude-2.1' });
      expect(messages[2].content[0].content).toMatch(
        /^a\.png is an image\n\[The model in use can’t/,
      );
      expect(JSON.stringify(messages)).not.toContain(IMAGES.png);
    });

    it('sends the conversation, the tools and the choice, marked for the cache', async () => {
      const body = await asked({
        instructions: 'Be brief.',
        messages: [
          user('Hi'),
          { role: 'system', content: 'It is winter.' },
          asks('Let me see.', 'c1', 'c2'),
          result('c1', 'noon'),
          result('c2', ''),
          user('And?'),
        ],
        tools: [tool('clock'), tool('sun')],
        tool_choice: { name: 'clock' },
        max_output_tokens: 50,
      });
      expect(body).toEqual({
        model: MODEL,
        max_tokens: 50,
        stream: true,
        system: [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: 'It is winter.', ...MARK },
        ],
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Hi', ...MARK }] },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Let me see.' },
              { type: 'tool_use', id: 'c1', name: 'clock', input: { zone: 'UTC' } },
              { type: 'tool_use', id: 'c2', name: 'clock', input: { zone: 'UTC' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'c1', content: 'noon' },
              { type: 'tool_result', tool_use_id: 'c2' },
              { type: 'text', text: 'And?', ...MARK },
            ],
          },
        ],
        tools: [tool('clock'), { ...tool('sun'), ...MARK }],
        tool_choice: { type: 'tool', name: 'clock' },
      });
    });

    it('sends the key, and nothing that the environment would add', async () => {
      process.env.ANTHROPIC_AUTH_TOKEN = 'token-of-somebody';
      try {
        await collect(provider);
        await collect(new AnthropicProvider({ baseUrl: fake.baseUrl }));
      } finally {
        delete process.env.ANTHROPIC_AUTH_TOKEN;
      }
      const keys = fake.requests.map(({ headers }) => headers.authorization);
      expect(keys).toEqual([`Bearer ${KEY}`, 'Bearer none']);
    });

    it.each(['', '/', '/v1', '/v1/'])('reaches a base URL that ends in "%s"', async (end) => {
      await collect(new AnthropicProvider({ baseUrl: `${fake.baseUrl}${end}` }));
      expect(fake.requests).toHaveLength(1);
    });

    it.each([
      ['auto', { type: 'auto' }],
      ['required', { type: 'any' }],
      ['none', { type: 'none' }],
    ] as const)('translates the choice %s', async (tool_choice, expected) => {
      expect(await asked({ tools: [tool('clock')], tool_choice })).toMatchObject({
        tool_choice: expected,
      });
    });

    it('leaves out what was not asked for', async () => {
      const body = await asked({ tools: [], tool_choice: 'auto' });
      expect(Object.keys(body).toSorted()).toEqual(['max_tokens', 'messages', 'model', 'stream']);
    });

    it('names tools that were called before, where none is offered any more', async () => {
      const body = await asked({
        messages: [user('Hi'), asks(null, 'c1'), result('c1', 'noon')],
        tools: [],
      });
      expect(body).toMatchObject({ tools: [{ name: 'clock' }], tool_choice: { type: 'none' } });
    });

    it.each([
      ['claude-3-haiku-20240307', 4_096],
      ['claude-3-5-sonnet-20241022', 8_192],
      ['claude-sonnet-4-20250514', 32_000],
      ['claude-opus-5-5', 32_000],
      ['vendor/other', 8_192],
    ])('allows %s so many tokens: %i', async (model, max_tokens) => {
      expect(await asked({ model })).toMatchObject({ max_tokens });
    });

    it('asks for thoughts by effort, or by budget of older models', async () => {
      expect(await asked({ thinking: 'high' })).toMatchObject({
        thinking: { type: 'adaptive', display: 'summarized' },
        output_config: { effort: 'high' },
      });
      expect(await asked({ thinking: 'low', model: 'claude-haiku-4-5-20251001' })).toMatchObject({
        thinking: { type: 'enabled', budget_tokens: 2_048 },
      });
      const small = {
        thinking: 'high',
        model: 'claude-haiku-4-5',
        max_output_tokens: 3_000,
      } as const;
      expect(await asked(small)).toMatchObject({ thinking: { budget_tokens: 1_976 } });
    });

    it.each([
      ['claude-sonnet-4-5', 10_000, 32_000],
      ['claude-opus-4-6', 30_976, 32_000],
      ['claude-3-7-sonnet-20250219', 40_000, 41_024],
      ['another', 9_000, 10_024],
    ])('sends an exact budget as it is: %s', async (model, budget_tokens, max_tokens) => {
      const body = await asked({ model, thinking: { budget_tokens } });
      expect(body).toMatchObject({ thinking: { type: 'enabled', budget_tokens }, max_tokens });
      expect(body).not.toHaveProperty('output_config');
    });

    it.each([
      [1_024, 'low'],
      [8_191, 'low'],
      [8_192, 'medium'],
      [24_576, 'high'],
    ])(
      'sends models that take no budget the effort within it: %i',
      async (budget_tokens, effort) => {
        const body = await asked({ model: 'claude-opus-4-7', thinking: { budget_tokens } });
        expect(body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort } });
      },
    );

    it('refuses a budget that leaves no room for an answer', async () => {
      const model = 'claude-sonnet-4-5';
      const within = (max_output_tokens: number) => ({
        ...REQUEST,
        ...{ model, max_output_tokens, thinking: { budget_tokens: 2_000 } },
      });
      const before = fake.requests.length;
      expect(await failure(provider, within(2_000))).toMatchObject({
        code: 'thinking_budget_too_large',
        message: expect.stringMatching(
          /2000 tokens .* limit of the turn is 2000.*MODEL_MAX_OUTPUT/,
        ),
      });
      expect(fake.requests).toHaveLength(before);
      expect(await asked(within(2_001))).toMatchObject({ thinking: { budget_tokens: 2_000 } });
    });

    it.each<[string, Partial<ModelRequest>]>([
      ['a tool has to be called', { tools: [tool('clock')], tool_choice: 'required' }],
      [
        'the turn began without',
        { messages: [user('Hi'), asks('Hm', 'c1'), result('c1', 'noon')] },
      ],
      ['there is no room', { max_output_tokens: 2_000 }],
    ])('asks for no thoughts where %s', async (_, request) => {
      const body = await asked({ thinking: 'high', model: 'claude-haiku-4-5', ...request });
      expect(body).not.toHaveProperty('thinking');
    });

    it('asks for an answer of a schema, in the words that the vendor takes', async () => {
      const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 3 } } };
      expect(await asked({ schema, thinking: 'low' })).toMatchObject({
        output_config: {
          effort: 'low',
          format: {
            type: 'json_schema',
            schema: {
              type: 'object',
              properties: { n: { type: 'integer', description: '{minimum: 3}' } },
              additionalProperties: false,
            },
          },
        },
      });
      const odd = { type: 'object', properties: { any: {} } };
      expect(await asked({ schema: odd })).toMatchObject({
        output_config: { format: { schema: odd } },
      });
    });

    it('sends images', async () => {
      const image_url = { url: `data:image/png;base64,${PIXEL}` };
      const content = [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url },
      ];
      const body = await asked({ messages: [{ role: 'user', content } as unknown as Message] });
      expect(body.messages[0].content).toEqual([
        { type: 'text', text: 'What is it?' },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: PIXEL },
          ...MARK,
        },
      ]);
    });

    it.each([
      [{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }],
      [{ type: 'image_url', image_url: { url: 'data:image/png,AAAA' } }],
      [{ type: 'image_url' }],
      [{ type: 'input_audio' }],
      ['words'],
    ])('refuses %j', async (part) => {
      const messages = [{ role: 'user', content: [part] } as unknown as Message];
      expect(await failure(provider, { ...REQUEST, messages })).toMatchObject({
        kind: 'invalid',
        code: 'unsupported_content',
      });
      expect(fake.requests).toEqual([]);
    });

    it.each<[string, readonly Message[], readonly string[]]>([
      [
        'begins with the model',
        [{ role: 'assistant', content: 'Hi' }, user('Yes?')],
        ['user', 'assistant', 'user'],
      ],
      [
        'ends with the model',
        [user('Hi'), { role: 'assistant', content: 'Hi ' }],
        ['user', 'assistant', 'user'],
      ],
      ['has one role twice', [user('Hi'), user('there')], ['user']],
      [
        'has an empty answer',
        [user('Hi'), { role: 'assistant', content: ' ' }, user('Hm?')],
        ['user'],
      ],
      ['is empty', [user(' ')], ['user']],
    ])('mends a conversation that %s', async (_, messages, roles) => {
      const body = await asked({ messages });
      expect(body.messages.map(({ role }: ChatBody) => role)).toEqual(roles);
    });
  });

  describe('what it understands', () => {
    it('streams parallel calls, and their arguments as they come', async () => {
      fake.reply({
        text: 'Both.',
        calls: [
          { id: 'a', name: 'add', arguments: { y: 1 } },
          { id: 'b', name: 'mul', arguments: {} },
        ],
      });
      const events = await collect(provider);
      expect(ready(events)).toEqual([
        [0, 'a', 'add', '{"y":1}'],
        [1, 'b', 'mul', '{}'],
      ]);
      expect(joined(events, 'tool_call_args_delta')).toBe('{"y":1}{}');
      expect(events.at(-1)).toMatchObject({
        finish_reason: 'tool_calls',
        message: { content: 'Both.', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      });
      expect(events.at(-1)).not.toHaveProperty('message.provider_data');
    });

    it('gives arguments before they are whole', async () => {
      const gate = new Gate();
      const started = { type: 'tool_use', id: 'a', name: 'add', input: {} };
      const json = (partial_json: string) =>
        blockDelta(0, { type: 'input_json_delta', partial_json });
      fake.reply({
        steps: [
          messageStart(),
          wire('content_block_start', { index: 0, content_block: started }),
          json('{"x":'),
          gate,
          json('1}'),
          wire('content_block_stop', { index: 0 }),
          ...messageEnd({ stop_reason: 'tool_use' }),
        ],
      });
      const seen: string[] = [];
      for await (const event of provider.stream(REQUEST, NEVER)) {
        if (event.type === 'tool_call_args_delta') seen.push(event.delta);
        if (seen.length === 1) gate.open();
      }
      expect(seen).toEqual(['{"x":', '1}']);
    });

    it.each([
      ['end_turn', 'stop'],
      ['stop_sequence', 'stop'],
      ['max_tokens', 'length'],
      ['model_context_window_exceeded', 'length'],
      ['refusal', 'content_filter'],
    ])('takes the end %s for %s', async (stop_reason, finish_reason) => {
      fake.reply({ text: 'Hello', stop_reason });
      expect((await collect(provider)).at(-1)).toMatchObject({ finish_reason });
    });

    it('tells of a reason that it does not know', async () => {
      fake.reply({ text: 'Hello', stop_reason: 'bored' });
      const events = await collect(provider);
      expect(events.at(-1)).toMatchObject({ finish_reason: 'stop' });
      expect(events).toContainEqual({
        type: 'trace',
        name: 'unknown_finish_reason',
        detail: 'bored',
      });
    });

    it('says why the model refuses, if it says nothing itself', async () => {
      const stop_details = { type: 'refusal', category: null, explanation: 'Not this.' };
      fake.reply(
        { stop_reason: 'refusal', stop_details },
        { text: 'No.', stop_reason: 'refusal', stop_details },
      );
      expect(joined(await collect(provider), 'text_delta')).toBe('Not this.');
      expect(joined(await collect(provider), 'text_delta')).toBe('No.');
    });

    it('counts what was written to the cache and read from it', async () => {
      const usage = {
        input_tokens: 3,
        cache_creation_input_tokens: 20,
        cache_read_input_tokens: 100,
        output_tokens: 1,
        output_tokens_details: { thinking_tokens: 4 },
      };
      fake.reply({ text: 'Hello', usage });
      expect((await collect(provider)).at(-1)).toMatchObject({
        usage: {
          ...{ input_tokens: 123, output_tokens: 5, cached_tokens: 100, reasoning_tokens: 4 },
          cache_write_tokens: 20,
        },
      });
    });

    it('takes a stream without message_stop for whole when the reason came', async () => {
      const [end] = messageEnd({});
      fake.reply({
        steps: [
          messageStart(),
          wire('content_block_start', { index: 0, content_block: { type: 'text', text: 'Hi' } }),
          end!,
        ],
      });
      expect(joined(await collect(provider), 'text_delta')).toBe('Hi');
    });

    it('does not wait for the connection to end after message_stop', async () => {
      fake.reply({ steps: [...messageSteps({ text: 'Hello' }, () => 1), new Gate()] });
      expect(joined(await collect(provider), 'text_delta')).toBe('Hello');
    });

    it('goes on when the start of a block was lost', async () => {
      fake.reply({
        steps: [
          messageStart(),
          blockDelta(0, { type: 'text_delta', text: 'Hi' }),
          blockDelta(7, { type: 'input_json_delta', partial_json: '{' }),
          blockDelta(0, { type: 'new_delta', what: 1 }),
          ...messageEnd({}),
        ],
      });
      const events = await collect(provider);
      expect(joined(events, 'text_delta')).toBe('Hi');
      const traces = events.flatMap((event) => (event.type === 'trace' ? [event.name] : []));
      expect(traces).toEqual(['input_without_call', 'unknown_delta']);
    });

    it('accepts a message that is not streamed', async () => {
      fake.reply({
        body: {
          type: 'message',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: SIGNATURE },
            { type: 'text', text: 'Whole' },
            { type: 'tool_use', id: 'a', name: 'add', input: { x: 1 } },
          ],
          stop_reason: 'tool_use',
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      });
      const events = await collect(provider);
      expect(ready(events)).toEqual([[0, 'a', 'add', '{"x":1}']]);
      expect(events.at(-1)).toMatchObject({
        message: {
          content: 'Whole',
          provider_data: { anthropic: { blocks: [{ signature: SIGNATURE }, {}, {}] } },
        },
        usage: { input_tokens: 3, output_tokens: 1 },
      });
    });
  });

  describe('thoughts', () => {
    /** A turn with thoughts, as it comes back out of a log. */
    async function thoughtful(): Promise<AssistantMessage> {
      fake.reply({
        thinking: 'What time is it?',
        signature: SIGNATURE,
        redacted: 'ENCRYPTED+/=',
        text: 'Let me see.',
        calls: [{ id: 'c1', name: 'clock', arguments: { zone: 'UTC' } }],
      });
      return JSON.parse(JSON.stringify(await message())) as AssistantMessage;
    }
    const THOUGHTS = [
      { type: 'thinking', thinking: 'What time is it?', signature: SIGNATURE },
      { type: 'redacted_thinking', data: 'ENCRYPTED+/=' },
    ];
    const goOn = (said: AssistantMessage, model = 'fake'): Partial<ModelRequest> => ({
      model,
      messages: [user('Hi'), said, result('c1', 'noon')],
    });

    it('go back as they were, before what was said', async () => {
      const body = await asked(goOn(await thoughtful()));
      expect(body.messages[1].content).toEqual([
        ...THOUGHTS,
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'c1', name: 'clock', input: { zone: 'UTC' } },
      ]);
      expect(JSON.stringify(body)).toContain(JSON.stringify(SIGNATURE));
    });

    it('go back with the call as it really ran', async () => {
      const said = await thoughtful();
      const [call] = said.tool_calls!;
      const ran = { ...call!, function: { name: 'clock', arguments: '{"zone":"CET"}' } };
      const body = await asked(goOn({ ...said, tool_calls: [ran] }));
      expect(body.messages[1].content.at(-1)).toMatchObject({ input: { zone: 'CET' } });
      expect(body.messages[1].content.slice(0, 2)).toEqual(THOUGHTS);
    });

    it('stay away from another model', async () => {
      const body = await asked(goOn(await thoughtful(), 'other'));
      expect(JSON.stringify(body)).not.toContain('thinking');
    });

    it('keep the places between what is said and called', async () => {
      const block = (index: number, content_block: object) => [
        wire('content_block_start', { index, content_block }),
        wire('content_block_stop', { index }),
      ];
      const call = (id: string) => ({
        type: 'tool_use',
        id,
        name: 'clock',
        input: { zone: 'UTC' },
      });
      const thought = (n: number) => ({ type: 'thinking', thinking: `${n}`, signature: `s${n}` });
      const blocks = [
        thought(1),
        { type: 'text', text: 'A 👍🏽' },
        call('c1'),
        thought(2),
        { type: 'text', text: 'B' },
        call('c2'),
      ];
      fake.reply({
        steps: [
          messageStart(),
          ...blocks.flatMap((content, n) => block(n, content)),
          ...messageEnd({}),
        ],
      });
      const said = await message();
      const messages = [user('Hi'), said, result('c1', '1'), result('c2', '2')];
      const body = await asked({ model: 'fake', messages });
      expect(body.messages[1].content).toEqual(blocks);
    });

    it('that nothing follows are not sent', async () => {
      fake.reply({ thinking: 'Hm', stop_reason: 'max_tokens' });
      const body = await asked({
        model: 'fake',
        messages: [user('Hi'), await message(), user('So?')],
      });
      expect(body.messages).toHaveLength(1);
    });

    it.each([
      ['of another text', { content: 'Changed' }],
      ['of another number of calls', { tool_calls: undefined }],
      [
        'that somebody made up',
        {
          provider_data: {
            anthropic: { model: 'fake', blocks: [{ type: 'thinking', thinking: 1 }] },
          },
        },
      ],
      [
        'that are no blocks',
        { provider_data: { anthropic: { model: 'fake', blocks: [null, 'x', 3] } } },
      ],
    ])('%s are not sent', async (_, change) => {
      const said = { ...(await thoughtful()), ...change } as AssistantMessage;
      const messages = [user('Hi'), said, ...(said.tool_calls ? [result('c1', 'noon')] : [])];
      const body = await asked({ model: 'fake', messages });
      expect(JSON.stringify(body)).not.toContain('thinking');
      expect(body.messages[1].content[0]).toEqual({ type: 'text', text: said.content });
    });
  });

  describe('a turn that is paused', () => {
    const search = {
      type: 'server_tool_use',
      id: 'srv_1',
      name: 'web_search',
      input: { query: 'x' },
    };
    const found = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] };

    it('goes on from what came, until it ends', async () => {
      fake.reply(
        {
          thinking: 'Hm',
          signature: SIGNATURE,
          text: 'First, ',
          blocks: [search],
          stop_reason: 'pause_turn',
        },
        { text: 'then.', blocks: [found] },
      );
      const events = await collect(provider);
      expect(joined(events, 'text_delta')).toBe('First, then.');
      expect(events.filter(({ type }) => type === 'response_completed')).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({
        finish_reason: 'stop',
        usage: { input_tokens: 20, output_tokens: 10 },
      });
      const [first, second] = fake.requests.map(({ body }) => body);
      expect(second!.messages).toEqual([
        ...first!.messages,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: SIGNATURE },
            search,
            { type: 'text', text: 'First,' },
          ],
        },
      ]);
    });

    it('is not asked to go on for ever', async () => {
      fake.otherwise({ text: 'More', blocks: [search], stop_reason: 'pause_turn' });
      expect((await collect(provider)).at(-1)).toMatchObject({ finish_reason: 'length' });
      expect(fake.requests).toHaveLength(9);
    });

    it('stops when it is aborted in between', async () => {
      fake.reply({ text: 'First', blocks: [search], stop_reason: 'pause_turn' }, { hang: true });
      const stop = new AbortController();
      const turn = collect(provider, REQUEST, stop.signal);
      const second = await fake.request(2);
      stop.abort(new Error('enough'));
      await expect(turn).rejects.toThrow('enough');
      expect(await second.ended).toBe('closed');
    });
  });

  describe('what goes wrong in the stream', () => {
    it.each([
      ['overloaded_error', 'model_overloaded', true],
      ['api_error', 'model_overloaded', true],
      ['rate_limit_error', 'model_rate_limited', true],
      ['timeout_error', 'model_timeout', true],
      ['invalid_request_error', 'model_refused', false],
      ['authentication_error', 'model_auth', false],
      ['not_found_error', 'model_not_found', false],
      ['something_new', 'model_overloaded', true],
    ])('makes %s %s, retryable: %s', async (type, code, retryable) => {
      const gate = new Gate();
      const error = wire('error', { error: { type, message: `Oh ${KEY}` } });
      fake.reply({ text: ['Hello', gate, error, 'more'] });
      const events = provider.stream(REQUEST, NEVER)[Symbol.asyncIterator]();
      expect((await events.next()).value).toMatchObject({ type: 'text_delta' });
      gate.open();
      const thrown = await errorOf(events);
      expect(thrown).toMatchObject({ code, retryable });
      expect(everything(thrown)).not.toContain(KEY);
      expect((thrown as Error).message).toContain('Oh [key].');
    });

    it('takes an end without a reason for a cut', async () => {
      fake.reply({ text: 'Hello', stop_reason: null });
      expect(await failure(provider)).toMatchObject({ code: 'model_cut_off', retryable: true });
    });

    it.each([
      ['calls', { calls: Array.from({ length: 129 }, () => ({ name: 'add', arguments: {} })) }],
      ['blocks', { blocks: Array.from({ length: 1_001 }, () => ({ type: 'server_tool_use' })) }],
    ])('refuses %s without end', async (_, turn) => {
      fake.reply(turn);
      expect(await failure(provider)).toMatchObject({
        code: 'model_bad_response',
        retryable: false,
      });
    });

    it('refuses a signature without end', async () => {
      fake.reply({ thinking: '', signature: 'x'.repeat(2_000) });
      const small = new AnthropicProvider({ baseUrl: fake.baseUrl, maxTurnChars: 1_000 });
      expect(await failure(small)).toMatchObject({ code: 'model_bad_response' });
      small.close();
    });
  });
});
