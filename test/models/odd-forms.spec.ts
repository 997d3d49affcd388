import { AnthropicProvider } from '../../src/models/anthropic/anthropic-provider.js';
import type { ModelEvent, ModelRequest, ModelTool } from '../../src/models/model-provider.js';
import { OpenAiProvider } from '../../src/models/openai/openai-provider.js';
import { FakeAnthropic } from '../support/model/fake-anthropic.js';
import { sse } from '../support/model/fake-model.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { collect, failure, joined, ready, REQUEST } from '../support/model/provider-probe.js';

type Json = Readonly<Record<string, unknown>>;

const chunk = (choice: Json, more: Json = {}): Json => ({ choices: [choice], ...more });
const said = (content: unknown): Json => chunk({ delta: { content } });
const called = (tool_calls: unknown): Json => chunk({ delta: { tool_calls } });
const part = (content: string, more: Json = {}): Json => chunk({ message: { content }, ...more });
const STOP = chunk({ delta: {}, finish_reason: 'stop' });
const DONE = 'data: [DONE]\n\n';
const HELLO = [said('Hello '), said('world'), STOP];
/** A stream of chunks that ends with a reason, theirs or `stop`. */
const events = (...chunks: readonly Json[]): string => {
  const last = JSON.stringify(chunks).includes('finish_reason') ? [] : [STOP];
  return [...chunks, ...last].map((data) => sse({ data })).join('') + DONE;
};
const lines = (chunks: readonly Json[]): string[] => chunks.map((each) => JSON.stringify(each));

const read = (name: string, args: string): Json => ({ name, arguments: args });
const tool = (name: string): ModelTool => ({
  ...{ name, description: '', input_schema: { type: 'object', properties: {} } },
});

describe('An OpenAI-compatible server', () => {
  let fake: FakeOpenAi;
  let provider: OpenAiProvider;

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    provider = new OpenAiProvider({ baseUrl: fake.baseUrl, apiKey: 'sk-of-a-test' });
  });
  afterAll(async () => {
    provider.close();
    await fake.stop();
  });

  const answer = (raw: string | Buffer, request: ModelRequest = REQUEST) => {
    fake.reply({ steps: [{ raw }] });
    return collect(provider, request);
  };
  const notices = (all: readonly ModelEvent[]) =>
    all.flatMap((event) => (event.type === 'notice' ? [event.code] : []));

  it.each<[string, string]>([
    ['no empty line between its events', `data: ${lines(HELLO).join('\ndata: ')}\n\n${DONE}`],
    ['no empty line before the end', `data: ${lines(HELLO).join('\ndata: ')}\ndata: [DONE]\n\n`],
    ['lines of JSON', `${lines(HELLO).join('\n')}\n`],
    ['lines of JSON that end as events do', `${lines(HELLO).join('\n')}\n[DONE]\n`],
    ['lines of JSON behind a comment', `: hi\n\n${lines(HELLO).join('\n')}\n${DONE}`],
    ['a list of chunks', JSON.stringify(HELLO)],
    ['a list of chunks in an event', `data: ${JSON.stringify(HELLO)}\n\n${DONE}`],
    ['two chunks in one event', `data: ${lines(HELLO).join('')}\n\n${DONE}`],
    [
      'a mark before each event',
      lines(HELLO)
        .map((e) => `\ufeffdata: ${e}\n\n`)
        .join('') + DONE,
    ],
    ['lines that end in CR', events(...HELLO).replaceAll('\n', '\r')],
    ['spaces around its end', events(...HELLO).replace('[DONE]', ' [DONE] ') + events(said('!'))],
    ['a text in place of a delta', events(chunk({ delta: 'Hello ' }), chunk({ delta: 'world' }))],
    ['the form of Completions', events(chunk({ text: 'Hello ' }), chunk({ text: 'world' }))],
    ['one choice without a list', events({ choices: { delta: { content: 'Hello world' } } })],
    ['an empty error in each chunk', events(...HELLO.map((each) => ({ ...each, error: {} })))],
    ['a part in place of a text', events(said({ type: 'text', text: 'Hello world' }), STOP)],
    ['texts in a list', events(said(['Hello ', { type: 'text', text: 'world' }]), STOP)],
    [
      'the index of the choice in other forms',
      ['0.0', '0', '"0"', 'null', '-0', '0.0']
        .map(
          (index, at) =>
            `data: {"choices":[{"index":${index},"delta":{"content":"${'Hello world'.slice(2 * at, at < 5 ? 2 * at + 2 : 11)}"}}]}\n\n`,
        )
        .join('') +
        `data: {"choices":[{"index":0e0,"delta":{},"finish_reason":"stop"}]}\n\n${DONE}`,
    ],
    [
      'another choice between the chunks',
      events(
        chunk({ index: 0, delta: { content: 'Hello ' } }),
        chunk({ index: 1, delta: { content: 'Bye' }, finish_reason: 'length' }),
        chunk({ index: 0, delta: { content: 'world' }, finish_reason: 'stop' }),
      ),
    ],
  ])('may send %s', async (_, raw) => {
    const all = await answer(raw);
    expect(joined(all, 'text_delta')).toBe('Hello world');
    expect(all.at(-1)).toMatchObject({ finish_reason: 'stop' });
    expect(notices(all)).toEqual([]);
  });

  it.each<[string, readonly Json[], string]>([
    ['parts', [part('Hel'), part('lo '), part('world')], 'Hello world'],
    [
      'parts, and the whole',
      [part('Hello '), part('world'), part('Hello world', { finish_reason: 'stop' })],
      'Hello world',
    ],
    ['parts, one as the first', [part('ha '), part('hi '), part('ha ')], 'ha hi ha '],
    [
      'each time the whole',
      [part('Hel'), part('Hello'), part('Hello'), part('Hello world')],
      'Hello world',
    ],
    ['the whole, trimmed', [part(' Hello '), part('Hello'), part('Hello world')], ' Hello world'],
    ['one message', [part('Hello world', { finish_reason: 'stop' })], 'Hello world'],
    [
      'a role as a delta before parts',
      [chunk({ delta: { role: 'assistant', content: '' } }), part('Hello '), part('world')],
      'Hello world',
    ],
  ])('may send messages in place of deltas: %s', async (_, chunks, text) => {
    expect(joined(await answer(events(...chunks)), 'text_delta')).toBe(text);
  });

  it('may send thoughts and calls in messages', async () => {
    const call = (id: string, at: number) => ({
      ...{ id, index: at, type: 'function' },
      function: read('read', `{"n":${at}}`),
    });
    const message = (value: Json) => chunk({ message: value });
    const all = await answer(
      events(
        message({ reasoning_content: 'H' }),
        message({ reasoning_content: 'm.' }),
        message({ tool_calls: [call('a', 0)] }),
        message({ tool_calls: [call('b', 1)] }),
        chunk({ message: { content: null }, finish_reason: 'tool_calls' }),
      ),
    );
    expect(joined(all, 'thinking_delta')).toBe('Hm.');
    expect(ready(all)).toEqual([
      [0, 'a', 'read', '{"n":0}'],
      [1, 'b', 'read', '{"n":1}'],
    ]);
  });

  it('may summarise otherwise than it spoke, which a trace tells', async () => {
    const all = await answer(events(said('Hello'), part('Goodbye', { finish_reason: 'stop' })));
    expect(joined(all, 'text_delta')).toBe('Hello');
    expect(all).toContainEqual(expect.objectContaining({ name: 'other_summary' }));
  });

  it.each<[string, unknown]>([
    ['without a list', { index: 0, id: 'a', function: read('read', '{"n":1}') }],
    ['with an index in quotes', [{ index: '0', id: 'a', function: read('read', '{"n":1}') }]],
    ['without the object function', [{ index: 0, id: 'a', ...read('read', '{"n":1}') }]],
    ['with spaces around its name', [{ index: 0, id: 'a', function: read(' read\n', '{"n":1}') }]],
    ['with a namespace', [{ index: 0, id: 'a', function: read('functions.read', '{"n":1}') }]],
    ['with the namespace of Gemini', [{ id: 'a', function: read('default_api:read', '{"n":1}') }]],
    ['with a mark', [{ id: 'a', function: read('read<|channel|>commentary', '{"n":1}') }]],
    ['with its number', [{ id: 'a', function: read('functions.read:0', '{"n":1}') }]],
  ])('may write a call %s', async (_, calls) => {
    const raw = events(called(calls), chunk({ delta: {}, finish_reason: 'tool_calls' }));
    const all = await answer(raw, { ...REQUEST, tools: [tool('read')] });
    expect(ready(all)).toEqual([[0, 'a', 'read', '{"n":1}']]);
    expect(all.at(-1)).toMatchObject({ message: { tool_calls: [{ function: { name: 'read' } }] } });
  });

  it('may write indices in quotes in deltas of two calls', async () => {
    const at = (index: string, text: string, more: Json = {}) => ({
      ...{ index, ...more },
      function: { ...(more['id'] !== undefined && { name: 'read' }), arguments: text },
    });
    const all = await answer(
      events(
        called([at('0', '', { id: 1 }), at('1', '', { id: 2 })]),
        called([at('0', '{"n":'), at('1', '{"n":')]),
        called([at('0', '1}'), at('1', '2}')]),
      ),
    );
    expect(ready(all)).toEqual([
      [0, '1', 'read', '{"n":1}'],
      [1, '2', 'read', '{"n":2}'],
    ]);
  });

  it.each(['functions.write', 'reads', 'x.read', '<|read|>'])(
    'gets no other tool for the name %s',
    async (name) => {
      const raw = events(called([{ index: 0, id: 'a', function: read(name, '{}') }]));
      const all = await answer(raw, { ...REQUEST, tools: [tool('read')] });
      expect(ready(all)).toEqual([[0, 'a', name, '{}']]);
    },
  );

  it.each([
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['SAFETY', 'content_filter'],
    ['STOP', 'stop'],
    ['end_turn', 'stop'],
  ])('may end for the reason %s', async (reason, finish_reason) => {
    const all = await answer(events(said('Hi'), chunk({ delta: {}, finish_reason: reason })));
    expect(all.at(-1)).toMatchObject({ finish_reason });
    expect(all.filter(({ type }) => type === 'trace')).toEqual([]);
  });

  it.each([
    ['a number', said(42), '42'],
    ['a number with a zero at its end', '{"choices":[{"delta":{"content":1.50}}]}', '1.50'],
  ])('may send %s as text', async (_, data, text) => {
    const raw = typeof data === 'string' ? `data: ${data}\n\n${events(STOP)}` : events(data);
    expect(joined(await answer(raw), 'text_delta')).toBe(text);
  });

  it.each([
    [
      'in the middle',
      `${sse({ data: said('Hello ') })}data: {"choices":[{"delta"\n\n${events(said('world'), STOP)}`,
    ],
    [
      'between lines of JSON',
      `${lines([said('Hello ')])[0]}\n{"choices":[\n${lines([said('world'), STOP]).join('\n')}`,
    ],
    ['in an event of several', `data: {"choices"}${lines(HELLO).join('')}\n\n${DONE}`],
  ])('that damages a chunk %s is not believed to be complete', async (_, raw) => {
    const all = await answer(raw).catch(() => 'failed' as const);
    if (all !== 'failed') expect(notices(all)).toContain('answer_damaged');
  });

  it('that damages every chunk is told of once', async () => {
    const all = await answer(`${'data: {"choices":[{"delta"\n\n'.repeat(500)}${events(...HELLO)}`);
    expect(notices(all)).toEqual(['answer_damaged']);
  });

  it('may send parts that are no text, which a trace tells', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const all = await answer(events(said([{ type: 'text', text: 'See:' }, image]), STOP));
    expect(all).toContainEqual(expect.objectContaining({ name: 'unknown_part' }));
  });

  it.each([
    [{ detail: 'CUDA out of memory' }],
    [{ message: 'CUDA out of memory', type: 'oom' }],
    [{ error_message: 'CUDA out of memory' }],
  ])('says why it does not go on: %j', async (data) => {
    fake.reply({ steps: [{ data: said('Half') }, { data }] });
    expect(await failure(provider)).toMatchObject({
      ...{ retryable: true, message: expect.stringContaining('CUDA out of memory') },
    });
  });

  it('that breaks off after an unknown event is cut off', async () => {
    fake.reply({ steps: [{ data: { type: 'progress', at: 1 } }, { data: said('Half') }] });
    expect(await failure(provider)).toMatchObject({ code: 'model_cut_off' });
  });

  it.each([200, 204])('may say nothing at all (%i)', async (status) => {
    fake.reply({ status, body: '' });
    expect(await failure(provider)).toMatchObject({
      ...{ code: 'model_cut_off', message: expect.stringContaining('without an answer') },
    });
  });

  it.each(['zstd', 'compress', 'dcz'])('may use the coding %s, which is named', async (coding) => {
    const raw = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x00]);
    fake.reply({ headers: { 'content-encoding': coding }, steps: [{ raw }] });
    expect(await failure(provider)).toMatchObject({
      ...{ code: 'model_bad_response', message: expect.stringContaining(`the coding "${coding}"`) },
    });
  });

  it.each(['utf-8', 'zstd', 'aws-chunked'])(
    'may name the coding %s, and not use it',
    async (coding) => {
      fake.reply({ headers: { 'content-encoding': coding }, steps: [{ raw: events(...HELLO) }] });
      expect(joined(await collect(provider), 'text_delta')).toBe('Hello world');
    },
  );

  it.each([
    [
      'xAI',
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        completion_tokens_details: { reasoning_tokens: 94 },
      },
      103,
    ],
    ['Gemini', { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135 }, 103],
    [
      'OpenAI',
      {
        prompt_tokens: 32,
        completion_tokens: 103,
        total_tokens: 135,
        completion_tokens_details: { reasoning_tokens: 94 },
      },
      103,
    ],
    ['a server without a total', { prompt_tokens: 32, completion_tokens: 9 }, 9],
    [
      'a server with a wrong total',
      { prompt_tokens: 32, completion_tokens: 9, total_tokens: 9 },
      9,
    ],
  ])('counts thoughts as %s does', async (_, usage, output_tokens) => {
    const all = await answer(events(said('Hi'), { ...STOP, usage }));
    expect(all.at(-1)).toMatchObject({ usage: { input_tokens: 32, output_tokens } });
  });

  it.each([499, 498])('is quoted without a half of a character, at %i', async (length) => {
    const message = `${'x'.repeat(length)}😀😀`;
    fake.reply({ status: 400, body: { error: { message } } });
    const error = (await failure(provider)) as Error;
    expect(error.message.isWellFormed()).toBe(true);
    fake.reply({ steps: [{ raw: `${'y'.repeat(length - 300)}😀${'z'.repeat(400)}` }] });
    expect(((await failure(provider)) as Error).message.isWellFormed()).toBe(true);
    const all = await answer(
      events({ ...HELLO[0], odd: 'x'.repeat(2 * length - 10) + '😀'.repeat(9) }),
    );
    for (const event of all) expect(JSON.stringify(event)).not.toMatch(/\\ud[89a-f]/);
  });
});

describe('An Anthropic server', () => {
  it('may write the index of a block as a number with a fraction', async () => {
    const fake = await FakeAnthropic.start();
    const provider = new AnthropicProvider({ apiKey: 'sk-of-a-test', baseUrl: fake.baseUrl });
    const all = [
      '{"type":"content_block_start","index":0.0,"content_block":{"type":"text","text":""}}',
      '{"type":"content_block_start","index":1.0,"content_block":{"type":"tool_use","id":"a","name":"read","input":{}}}',
      '{"type":"content_block_delta","index":0.0,"delta":{"type":"text_delta","text":"Hello "}}',
      '{"type":"content_block_delta","index":1.0,"delta":{"type":"input_json_delta","partial_json":"{\\"n\\":1}"}}',
      '{"type":"content_block_delta","index":0.0,"delta":{"type":"text_delta","text":"world"}}',
      '{"type":"content_block_stop","index":1.0}',
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
    ];
    fake.reply({ steps: all.map((data) => ({ raw: `data: ${data}\n\n` })) });
    const events = await collect(provider);
    expect(joined(events, 'text_delta')).toBe('Hello world');
    expect(ready(events)).toEqual([[0, 'a', 'read', '{"n":1}']]);
    provider.close();
    await fake.stop();
  });
});

const NUMBERS = '{"a":1234567890123456789,"b":[1.0,-0,1e400,2.50],"c":3.14159265358979323846}';

describe('Numbers in what goes back to the vendor', () => {
  const through = async (
    provider: OpenAiProvider | AnthropicProvider,
    fake: FakeOpenAi | FakeAnthropic,
    id: string | undefined,
  ) => {
    const last = (await collect(provider)).at(-1);
    if (last?.type !== 'response_completed') throw new Error('no end');
    const json = JSON.stringify(last.message);
    expect(json).not.toContain('exact-number');
    const message = JSON.parse(json) as typeof last.message; // as it comes back out of a log
    const result = { role: 'tool', tool_call_id: id ?? '', content: 'done' } as const;
    const messages = [...REQUEST.messages, message, ...(id ? [result] : [])];
    fake.otherwise({ text: 'Done.' });
    await collect(provider, { ...REQUEST, messages });
    fake.violations.splice(0); // of fields that OpenAI does not know
    return fake.requests[1]!.json;
  };

  it.each([
    [
      'signatures of calls',
      `{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"},"extra_content":{"n":${NUMBERS}}}]}}`,
      'c1',
    ],
    [
      'lists of thoughts',
      `{"delta":{"content":"x","reasoning_details":[{"type":"t","index":0,"n":${NUMBERS}}]}}`,
      undefined,
    ],
    [
      'signatures of messages',
      `{"delta":{"content":"x","extra_content":{"n":${NUMBERS}}}}`,
      undefined,
    ],
    [
      'a whole message',
      `{"message":{"content":"x","reasoning_details":[{"n":${NUMBERS}}]}}`,
      undefined,
    ],
  ])('keep their characters at OpenAI’s API in %s', async (_, choice, id) => {
    const fake = await FakeOpenAi.start();
    const provider = new OpenAiProvider({ baseUrl: fake.baseUrl });
    fake.reply({ steps: [{ raw: `data: {"choices":[${choice}]}\n\n${events(STOP)}` }] });
    expect(await through(provider, fake, id)).toContain(`"n":${NUMBERS}`);
    provider.close();
    await fake.stop();
  });

  it.each([
    [
      'inputs of its tools that grow',
      '{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}',
      `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(`{"n":${NUMBERS}}`)}}}`,
    ],
    [
      'results of its tools',
      `{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"n":${NUMBERS}}]}`,
      '',
    ],
    [
      'inputs of its tools',
      `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"n":${NUMBERS}}}`,
      '',
    ],
  ])('keep their characters at Anthropic’s API in %s', async (_, block, more) => {
    const fake = await FakeAnthropic.start();
    const provider = new AnthropicProvider({ apiKey: 'sk-of-a-test', baseUrl: fake.baseUrl });
    const all = [
      `{"type":"content_block_start","index":0,"content_block":${block}}`,
      ...(more ? [more] : []),
      '{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Hi"}}',
      '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
    ];
    fake.reply({ steps: all.map((data) => ({ raw: `data: ${data}\n\n` })) });
    expect(await through(provider, fake, undefined)).toContain(`"n":${NUMBERS}`);
    provider.close();
    await fake.stop();
  });
});
