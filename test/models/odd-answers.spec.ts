import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { AnthropicProvider } from '../../src/models/anthropic/anthropic-provider.js';
import { OpenAiProvider } from '../../src/models/openai/openai-provider.js';
import type { Message } from '../../src/protocol/message.js';
import { FakeAnthropic } from '../support/model/fake-anthropic.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { sse, type FakeStep } from '../support/model/fake-model.js';
import { delta } from '../support/model/fake-openai-turn.js';
import { Gate } from '../support/gate.js';
import { collect, failure, joined, ready, REQUEST } from '../support/model/provider-probe.js';

const END: FakeStep = { raw: 'data: [DONE]\n\n' };
const usage = { prompt_tokens: 7, completion_tokens: 3 };

const NUMBERS = ['1234567890123456789', '1e400', '-0', '0.1e1', '2.50', '3.14159265358979323846'];

describe('An odd answer', () => {
  let fake: FakeOpenAi;
  let provider: OpenAiProvider;

  beforeEach(async () => {
    fake = await FakeOpenAi.start();
    provider = new OpenAiProvider({ baseUrl: fake.baseUrl });
  });

  afterEach(async () => {
    provider.close();
    await fake.stop();
  });

  const answer = async (...steps: FakeStep[]) => {
    fake.reply({ steps });
    return collect(provider);
  };

  const chunk = (choice: object, more: object = {}): FakeStep => ({
    data: { choices: [choice], ...more },
  });

  it.each([
    ['of the choice', chunk({ delta: {}, finish_reason: 'stop', usage })],
    ['of the chunk', chunk({ delta: {}, finish_reason: 'stop' }, { usage })],
    ['of an extension', chunk({ delta: {}, finish_reason: 'stop' }, { x_groq: { usage } })],
    [
      'under other names',
      chunk({ delta: {}, finish_reason: 'stop' }, { usage: { input_tokens: 7, output_tokens: 3 } }),
    ],
  ])('has its usage in the member %s', async (_, step) => {
    const events = await answer(delta({ content: 'x' }), step, END);
    expect(events.at(-1)).toMatchObject({ usage: { input_tokens: 7, output_tokens: 3 } });
  });

  it.each([
    [
      'of OpenAI',
      { prompt_tokens_details: { cached_tokens: 5 } },
      { completion_tokens_details: { reasoning_tokens: 2 } },
    ],
    [
      'of Responses',
      { input_tokens_details: { cached_tokens: 5 } },
      { output_tokens_details: { reasoning_tokens: 2 } },
    ],
    [
      'of DeepSeek',
      { prompt_cache_hit_tokens: 5, prompt_tokens_details: null },
      { completion_tokens_details: { reasoning_tokens: 2 } },
    ],
  ])('counts cached and reasoning tokens in the fields %s', async (_, input, output) => {
    const told = { ...usage, ...input, ...output };
    const events = await answer(delta({ content: 'x' }, 'stop'), chunk({}, { usage: told }), END);
    expect(events.at(-1)).toMatchObject({
      usage: { input_tokens: 7, output_tokens: 3, cached_tokens: 5, reasoning_tokens: 2 },
    });
  });

  it('counts no more thoughts than there are tokens', async () => {
    const told = { ...usage, completion_tokens_details: { reasoning_tokens: 9 } };
    const events = await answer(delta({ content: 'x' }, 'stop'), chunk({}, { usage: told }), END);
    const counts = { input_tokens: 7, output_tokens: 3, reasoning_tokens: 3 };
    expect(events.at(-1)).toMatchObject({ usage: counts });
  });

  it.each([
    ['OpenRouter', { prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 4 } }],
    [
      'LiteLLM',
      {
        ...{ cache_read_input_tokens: 2, cache_creation_input_tokens: 4, total_tokens: 10 },
        prompt_tokens_details: { cached_tokens: 2, cache_creation_tokens: 4 },
      },
    ],
    ['a gateway', { cache_read_input_tokens: 2, cache_creation_input_tokens: 4 }],
  ])('counts tokens that are written to a cache, in the fields of %s', async (_, details) => {
    const told = { ...usage, ...details };
    const events = await answer(delta({ content: 'x' }, 'stop'), chunk({}, { usage: told }), END);
    expect(events.at(-1)).toMatchObject({
      usage: { input_tokens: 7, output_tokens: 3, cached_tokens: 2, cache_write_tokens: 4 },
    });
  });

  it.each<[string, object, number, number]>([
    ['are more than it', { prompt_tokens_details: { cached_tokens: 90 } }, 97, 90],
    [
      'are in the total besides it',
      { prompt_tokens_details: { cached_tokens: 5 }, total_tokens: 15 },
      12,
      5,
    ],
    [
      'are more than it in sum',
      { cache_read_input_tokens: 6, cache_creation_input_tokens: 4 },
      17,
      6,
    ],
  ])('adds tokens of a cache to a prompt where they %s', async (_, details, input, cached) => {
    const told = { ...usage, ...details };
    const events = await answer(delta({ content: 'x' }, 'stop'), chunk({}, { usage: told }), END);
    expect(events.at(-1)).toMatchObject({
      usage: { input_tokens: input, output_tokens: 3, cached_tokens: cached },
    });
  });

  it.each([
    ['text', { content: 'Hello world' }],
    ['text and thoughts', { content: 'Hello world', reasoning_content: 'Hm' }],
  ])('repeats its %s in a summary, which adds nothing', async (_, message) => {
    const events = await answer(
      delta({ reasoning_content: 'Hm' }),
      delta({ content: 'Hello ' }),
      delta({ content: 'world' }),
      chunk({ finish_reason: 'stop', message }),
      END,
    );
    expect(joined(events, 'text_delta')).toBe('Hello world');
    expect(joined(events, 'thinking_delta')).toBe('Hm');
  });

  it('repeats its calls in a summary, which adds nothing', async () => {
    const call = { id: 'q1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } };
    const events = await answer(
      delta({ tool_calls: [{ index: 0, ...call }] }),
      chunk({ finish_reason: 'tool_calls', message: { content: null, tool_calls: [call] } }),
      END,
    );
    expect(ready(events)).toEqual([[0, 'q1', 'f', '{"x":1}']]);
  });

  it('says in a summary what no delta said', async () => {
    const message = { content: 'Hello' };
    const events = await answer(delta({}), chunk({ finish_reason: 'stop', message }), END);
    expect(joined(events, 'text_delta')).toBe('Hello');
  });

  it.each([
    [{ detail: 'the model is not loaded' }],
    [{ message: 'the model is not loaded', status: 'x' }],
    [{ object: 'info', data: [{ text: 'the model is not loaded' }] }],
  ])('that is no answer is shown: %j', async (data) => {
    fake.reply({ steps: [{ data }] });
    expect(await failure(provider)).toMatchObject({
      message: expect.stringContaining('the model is not loaded'),
    });
  });

  it.each([
    [[{ error: { message: 'API key not valid' } }]],
    [{ errors: [{ message: 'API key not valid' }] }],
    [{ error: { error: { message: 'API key not valid' } } }],
    [{ error: { message: '{"error":{"message":"API key not valid"}}' } }],
  ])('to a bad request says why: %j', async (body) => {
    fake.reply({ status: 400, body });
    expect(await failure(provider)).toMatchObject({
      message: expect.stringContaining('(400): API key not valid.'),
    });
  });

  it('ends a second after its reason, though the connection stays open', async () => {
    const never = new Gate();
    const patient = new OpenAiProvider({ baseUrl: fake.baseUrl, timeoutMs: 600_000 });
    fake.reply({
      steps: [delta({ content: 'x' }), delta({}, 'stop'), { data: { choices: [], usage } }, never],
    });
    const events = await collect(patient);
    expect(events.at(-1)).toMatchObject({ usage: { input_tokens: 7 } });
    never.open();
    patient.close();
  });

  it('of comments alone has an end', async () => {
    const comments = http.createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write(': keep\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    });
    await once(comments.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(comments.address() as AddressInfo).port}/v1`;
    const impatient = new OpenAiProvider({ baseUrl, timeoutMs: 100 });
    expect(await failure(impatient)).toMatchObject({ code: 'model_timeout' });
    impatient.close();
    comments.closeAllConnections();
    comments.close();
  });

  it.each([
    [
      'neither name nor arguments nor id',
      { index: 0, id: '', function: { name: '', arguments: '' } },
    ],
    ['no name and no arguments', { index: 0, id: 'c1', function: { name: '', arguments: '{}' } }],
    ['nothing at all', {}],
    ['no name beside a text', { index: 0, id: 'c1', function: { arguments: '{"x":1}' } }],
  ])('with a call of %s is a text', async (_, call) => {
    const events = await answer(
      delta({ content: 'plain', tool_calls: [call] }),
      delta({}, 'stop'),
      END,
    );
    expect(ready(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ finish_reason: 'stop', message: { content: 'plain' } });
  });

  it.each(NUMBERS)('has arguments as an object, with the number %s', async (number) => {
    const call = `{"index":0,"id":"c1","function":{"name":"f","arguments":{"n":${number}}}}`;
    const choice = `{"delta":{"tool_calls":[${call}]},"finish_reason":"tool_calls"}`;
    const raw = `data: {"choices":[${choice}],"usage":{"prompt_tokens":7.0,"completion_tokens":3}}`;
    const streamed = await answer({ raw: `${raw}\n\n` }, END);
    expect(ready(streamed)).toEqual([[0, 'c1', 'f', `{"n":${number}}`]]);
    expect(streamed.at(-1)).toMatchObject({ usage: { input_tokens: 7 } });
    fake.reply({
      body: `{"choices":[{"message":{"tool_calls":[${call}]},"finish_reason":"stop"}]}`,
    });
    expect(ready(await collect(provider))).toEqual(ready(streamed));
    const named = `{"name":"f","arguments":{"n":${number}}}`;
    fake.reply({
      body: `{"choices":[{"message":{"function_call":${named}},"finish_reason":"stop"}]}`,
    });
    expect(ready(await collect(provider))).toMatchObject([[0, '', 'f', `{"n":${number}}`]]);
  });

  describe('that is compressed, though nobody asked for it,', () => {
    const body = [delta({ content: 'Hello' }), delta({}, 'stop')].map((step) =>
      sse(step as { data: unknown }),
    );
    const text = `${body.join('')}data: [DONE]\n\n`;
    const CODINGS: readonly (readonly [string, (text: Buffer) => Buffer])[] = [
      ['gzip', zlib.gzipSync],
      ['x-gzip', zlib.gzipSync],
      ['deflate', zlib.deflateSync],
      ['deflate', zlib.deflateRawSync],
      ['br', zlib.brotliCompressSync],
      ['gzip, br', (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes))],
      ['gzip', (bytes) => bytes],
    ];

    it.each(CODINGS)('is read: %s', async (coding, pack) => {
      const steps = [...pack(Buffer.from(text))].map((byte) => ({ raw: Buffer.from([byte]) }));
      fake.reply({ headers: { 'content-encoding': coding }, steps });
      expect(joined(await collect(provider), 'text_delta')).toBe('Hello');
    });

    it('says why a request was refused', async () => {
      const server = http.createServer((_, response) => {
        response.writeHead(400, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
        response.end(zlib.gzipSync(JSON.stringify({ error: { message: 'No such thing' } })));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const other = new OpenAiProvider({ baseUrl });
      expect(await failure(other)).toMatchObject({
        message: expect.stringContaining('No such thing'),
      });
      other.close();
      server.closeAllConnections();
      server.close();
    });

    it.each(['\n', ': x\n', ' '])('has a bound: %j', async (filler) => {
      const bomb = zlib.gzipSync(filler.repeat((32 * 1024 * 1024) / filler.length));
      fake.reply({ headers: { 'content-encoding': 'gzip' }, steps: [{ raw: bomb }] });
      expect(await failure(provider)).toMatchObject({ code: 'model_bad_response' });
    });

    it('that breaks off is a cut', async () => {
      const half = zlib.gzipSync(Buffer.from(text)).subarray(0, 40);
      fake.reply({
        headers: { 'content-encoding': 'gzip' },
        steps: [{ raw: half }, { cut: true }],
      });
      expect(await failure(provider)).toMatchObject({ code: 'model_cut_off' });
    });
  });
});

describe('An answer without a word', () => {
  it('is an error, that may be tried again', async () => {
    const fake = await FakeOpenAi.start();
    const provider = new OpenAiProvider({ baseUrl: fake.baseUrl });
    fake.reply({ steps: [END] }, { thinking: 'Hm' }, { text: ' \n' });
    for (let n = 0; n < 3; n++)
      expect(await failure(provider)).toMatchObject({ code: 'model_empty_answer', maxAttempts: 2 });
    provider.close();
    await fake.stop();
  });

  it('is one of Anthropic after the result of a tool', async () => {
    const fake = await FakeAnthropic.start();
    const provider = new AnthropicProvider({ apiKey: 'k', baseUrl: fake.baseUrl });
    const tool_calls = [
      { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
    ] as const;
    fake.otherwise({});
    expect(await failure(provider)).toMatchObject({ code: 'model_empty_answer' });
    const events = await collect(provider, {
      ...REQUEST,
      messages: [
        ...REQUEST.messages,
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
      ],
    });
    expect(events.at(-1)).toMatchObject({ finish_reason: 'stop', message: { content: '' } });
    provider.close();
    await fake.stop();
  });
});

describe('A call of Anthropic that comes whole', () => {
  let fake: FakeAnthropic;
  let provider: AnthropicProvider;

  beforeAll(async () => {
    fake = await FakeAnthropic.start();
    provider = new AnthropicProvider({ apiKey: 'k', baseUrl: fake.baseUrl });
  });
  afterAll(async () => {
    provider.close();
    await fake.stop();
  });

  const blocks = (number: string) =>
    `{"type":"tool_use","id":"c1","name":"f","input":{"n":${number},"a":[{"input":{"n":${number}}}]}}`;
  const streamed = (block: string) => ({
    steps: [
      `{"type":"content_block_start","index":0,"content_block":${block}}`,
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}',
      '{"type":"message_stop"}',
    ].map((data) => ({ raw: `data: ${data}\n\n` })),
  });
  const whole = (block: string) => ({
    body: `{"type":"message","content":[${block}],"stop_reason":"tool_use"}`,
  });

  it.each(NUMBERS)('keeps the number %s, and goes back with it', async (number) => {
    for (const reply of [streamed, whole]) {
      fake.reply(reply(blocks(number)));
      const events = await collect(provider);
      const input = `{"n":${number},"a":[{"input":{"n":${number}}}]}`;
      expect(ready(events)).toEqual([[0, 'c1', 'f', input]]);
      const last = events.at(-1);
      const message = last?.type === 'response_completed' ? last.message : undefined;
      const result = { role: 'tool', tool_call_id: 'c1', content: 'done' } as const;
      await collect(provider, { ...REQUEST, messages: [...REQUEST.messages, message!, result] });
      expect(fake.requests.at(-1)!.json).toContain(`"input":${input}`);
    }
  });

  it('goes back among thoughts', async () => {
    const at = fake.requests.length;
    const input = '{"n":1234567890123456789}';
    const call = { id: 'c1', name: 'f', arguments: input };
    fake.reply({ thinking: 'Hm', calls: [call] }, {});
    const last = (await collect(provider)).at(-1);
    const message = last?.type === 'response_completed' ? last.message : undefined;
    expect(JSON.stringify(message)).not.toContain('exact-number');
    const result = { role: 'tool', tool_call_id: 'c1', content: 'done' } as const;
    const kept = JSON.parse(JSON.stringify(message)) as NonNullable<typeof message>;
    await collect(provider, { ...REQUEST, messages: [...REQUEST.messages, kept, result] });
    expect(fake.requests[at + 1]!.json).toContain(`"input":${input}`);
    expect(fake.requests[at + 1]!.json).toContain('"thinking":"Hm"');
  });
});

describe('An odd answer in Anthropic’s form', () => {
  let fake: FakeAnthropic;
  let provider: AnthropicProvider;

  beforeAll(async () => {
    fake = await FakeAnthropic.start();
    provider = new AnthropicProvider({ baseUrl: fake.baseUrl, timeoutMs: 600_000 });
  });
  afterAll(async () => {
    provider.close();
    await fake.stop();
  });

  const event = (data: object): FakeStep => ({ data });
  const text = (said: string): FakeStep[] => [
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } }),
  ];
  const ended = (stop_reason: unknown): FakeStep =>
    event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 3 } });

  const use = (index: number, id: string): FakeStep[] => [
    event({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name: 'f', input: {} },
    }),
    event({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json: '{"x":1}' },
    }),
    event({ type: 'content_block_stop', index }),
  ];

  it.each([
    ['at its place', 0, 'c1', 1],
    ['at another place', 1, 'c1', 1],
    ['with another id', 1, 'c2', 2],
  ])('has a call twice %s', async (_, index, id, count) => {
    fake.reply({ steps: [...use(0, 'c1'), ...use(index, id), ended('tool_use')] });
    const calls = ready(await collect(provider));
    expect(calls).toHaveLength(count);
    expect(calls[0]).toEqual([0, 'c1', 'f', '{"x":1}']);
  });

  it.each([
    ['zeros at the end', { input_tokens: 7 }, { input_tokens: 0, output_tokens: 3 }],
    ['null, then counts', null, { input_tokens: 7, output_tokens: 3 }],
    ['counts, then null', { input_tokens: 7, output_tokens: 3 }, null],
    ['strings', { input_tokens: '7' }, { input_tokens: null, output_tokens: '3' }],
    ['more and more', { input_tokens: 7, output_tokens: 1 }, { output_tokens: 3 }],
  ])('has as its usage %s', async (_, first, last) => {
    const start = event({ type: 'message_start', message: { usage: first } });
    const end = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last });
    fake.reply({ steps: [start, ...text('Hi'), end, event({ type: 'message_stop' })] });
    const usage = { input_tokens: 7, output_tokens: 3 };
    expect((await collect(provider)).at(-1)).toMatchObject({ usage });
  });

  it.each([
    { type: 'thinking', thinking: 'Hm', signature: null },
    { type: 'redacted_thinking', data: '' },
    { type: 'redacted_thinking', data: null },
    { type: 'redacted_thinking' },
  ])('has thoughts without proof, which are not kept: %j', async (content_block) => {
    const start = event({ type: 'content_block_start', index: 1, content_block });
    fake.reply({ steps: [start, ...text('Hi'), ended('end_turn')] });
    const last = (await collect(provider)).at(-1);
    expect(last).toMatchObject({ message: { content: 'Hi' } });
    expect(last).not.toHaveProperty('message.provider_data');
  });

  it.each(['', null, undefined])('is half of one after the reason %j', async (reason) => {
    fake.reply({ steps: [...text('Half'), ended(reason)] });
    expect(await failure(provider)).toMatchObject({ code: 'model_cut_off' });
  });

  it('ends a second after its reason, though the connection stays open and repeats it', async () => {
    const never = new Gate();
    fake.reply({ steps: [...text('Hi'), ended('end_turn'), ended('end_turn'), never] });
    const events = await collect(provider);
    expect(events.at(-1)).toMatchObject({ message: { content: 'Hi' }, finish_reason: 'stop' });
    never.open();
  });

  it.each([
    [{ type: 'error', error: { message: 'the model is not loaded' } }],
    [{ type: 'error', message: 'the model is not loaded' }],
    [{ error: { message: 'the model is not loaded' } }],
    [{ detail: 'the model is not loaded' }],
  ])('shows what a stream says instead: %j', async (data) => {
    fake.reply({ steps: [event(data)] });
    expect(await failure(provider)).toMatchObject({
      message: expect.stringContaining('the model is not loaded'),
    });
  });

  it.each([
    [{ type: 'error', error: { message: 'API key not valid' } }],
    [{ error: { message: 'API key not valid' } }],
    [[{ error: { message: 'API key not valid' } }]],
    [{ detail: 'API key not valid' }],
  ])('says why a request is bad: %j', async (body) => {
    fake.reply({ status: 400, body });
    expect(await failure(provider)).toMatchObject({
      message: expect.stringContaining('(400): API key not valid.'),
    });
  });

  it.each([
    ['input length and `max_tokens` exceed context limit: 187254 + 20000 > 204798'],
    ['prompt is too long: 205231 tokens > 200000 maximum'],
    ['Input is too long for requested model.'],
    ['Requested token count exceeds the model context length of 32768 tokens'],
  ])('says that a request is too long: %s', async (message) => {
    const error = { type: 'invalid_request_error', message };
    fake.reply({ status: 400, body: { type: 'error', error } });
    expect(await failure(provider)).toMatchObject({ code: 'model_context_exceeded' });
    fake.reply({ steps: [event({ type: 'error', error })] });
    expect(await failure(provider)).toMatchObject({ code: 'model_context_exceeded' });
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['br', zlib.brotliCompressSync],
    ['deflate', zlib.deflateSync],
  ] as const)('is read in %s', async (coding, pack) => {
    const steps = [...text('Hello'), ended('end_turn'), event({ type: 'message_stop' })];
    const body = steps.map((step) => sse(step as { data: unknown })).join('');
    fake.reply({ headers: { 'content-encoding': coding }, steps: [{ raw: pack(body) }] });
    expect(joined(await collect(provider), 'text_delta')).toBe('Hello');
  });

  const inDeltas = (...deltas: string[]): FakeStep[] => [
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...deltas.map((said) =>
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } }),
    ),
    event({ type: 'content_block_stop', index: 0 }),
  ];
  const stop = event({ type: 'message_stop' });

  it('has thoughts in tags before its text, which are not kept', async () => {
    const deltas = inDeltas('<thi', 'nk>Hm 👋</th', 'ink>\n\nIn tags: <think>', 'x</think>');
    fake.reply({ steps: [...deltas, ended('end_turn'), stop] });
    const events = await collect(provider);
    expect(joined(events, 'thinking_delta')).toBe('Hm 👋');
    expect(joined(events, 'text_delta')).toBe('In tags: <think>x</think>');
    expect(events.at(-1)).toMatchObject({ message: { content: 'In tags: <think>x</think>' } });
    expect(JSON.stringify(events.at(-1))).not.toContain('Hm');
  });

  it('has thoughts in tags before a call', async () => {
    const call = { type: 'tool_use', id: 't1', name: 'f', input: {} };
    const steps = inDeltas('<think>Hm', '</think>\n');
    const block = event({ type: 'content_block_start', index: 1, content_block: call });
    fake.reply({ steps: [...steps, block, ended('tool_use'), stop] });
    const events = await collect(provider);
    expect(joined(events, 'thinking_delta')).toBe('Hm');
    expect(events.at(-1)).toMatchObject({ message: { content: null, tool_calls: [{ id: 't1' }] } });
  });

  it('of thoughts in tags that never end is none, after a result of a tool either', async () => {
    const result: Message = { role: 'tool', tool_call_id: 't1', content: 'noon' };
    const calls = [
      { id: 't1', type: 'function' as const, function: { name: 'f', arguments: '{}' } },
    ];
    const asked: Message = { role: 'assistant', content: null, tool_calls: calls };
    for (const messages of [REQUEST.messages, [...REQUEST.messages, asked, result]]) {
      fake.reply({ steps: [...inDeltas('<think>Hm, it is ', '42'), ended('end_turn'), stop] });
      const failed = await failure(provider, { ...REQUEST, messages });
      expect(failed).toMatchObject({ code: 'model_empty_answer' });
    }
  });

  it.each(['end_turn', 'stop_sequence', 'tool_use'])(
    'without a word is an error, for the reason %s',
    async (reason) => {
      fake.reply({ steps: [ended(reason), event({ type: 'message_stop' })] });
      expect(await failure(provider)).toMatchObject({ code: 'model_empty_answer' });
    },
  );
});

describe('A text that says that a request is too long', () => {
  it.each([
    'The input token count (1500000) exceeds the maximum number of tokens allowed (1048576).',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Invalid request: Your request exceeded model token limit: 262144',
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]',
    'The decoder prompt (length 40000) is longer than the maximum model length of 32768.',
    'Request too large for model `x` on tokens: the context window has 8192',
  ])('%s', async (message) => {
    const fake = await FakeOpenAi.start();
    const provider = new OpenAiProvider({ baseUrl: fake.baseUrl });
    for (const body of [{ error: { message } }, [{ error: { message } }], { detail: message }]) {
      fake.reply({ status: 400, body });
      expect(await failure(provider)).toMatchObject({ code: 'model_context_exceeded' });
    }
    fake.reply({ steps: [{ data: { error: { message, code: 400 } } }] });
    expect(await failure(provider)).toMatchObject({ code: 'model_context_exceeded' });
    provider.close();
    await fake.stop();
  });
});
