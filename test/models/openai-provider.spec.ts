import type { ModelEvent, ModelRequest } from '../../src/models/model-provider.js';
import type { HttpProviderOptions } from '../../src/models/wire/http-provider-options.js';
import { OpenAiProvider } from '../../src/models/openai/openai-provider.js';
import { delta, type FakeStep } from '../support/fake-openai-turn.js';
import { FakeOpenAi } from '../support/fake-openai.js';
import { Gate } from '../support/gate.js';

const REQUEST: ModelRequest = { model: 'fake', messages: [{ role: 'user', content: 'Hi' }] };
const NEVER = new AbortController().signal;
const KEY = 'sk-secret-0123456789';

describe(OpenAiProvider.name, () => {
  let fake: FakeOpenAi;
  let provider: OpenAiProvider;

  beforeEach(async () => {
    fake = await FakeOpenAi.start();
    provider = connect();
  });

  afterEach(async () => {
    provider.close();
    await fake.stop();
  });

  function connect(options: HttpProviderOptions = {}): OpenAiProvider {
    return new OpenAiProvider({ apiKey: KEY, baseUrl: fake.baseUrl, ...options });
  }

  async function collect(
    request = REQUEST,
    signal = NEVER,
    from = provider,
  ): Promise<ModelEvent[]> {
    const events: ModelEvent[] = [];
    for await (const event of from.stream(request, signal)) events.push(event);
    return events;
  }

  /** The error that ends a turn. */
  async function failure(from = provider): Promise<unknown> {
    try {
      await collect(REQUEST, NEVER, from);
    } catch (error) {
      return error;
    }
    throw new Error('The turn went well');
  }

  const answerWith = (...steps: FakeStep[]): void => fake.reply({ steps });
  const joined = (events: readonly ModelEvent[], type: string): string =>
    events.map((event) => (event.type === type && 'delta' in event ? event.delta : '')).join('');
  const ready = (events: readonly ModelEvent[]): unknown[] =>
    events.flatMap((event) =>
      event.type === 'tool_call_ready'
        ? [[event.index, event.id, event.name, event.arguments]]
        : [],
    );
  const end = { raw: 'data: [DONE]\n\n' };

  describe('what it asks', () => {
    it('sends the conversation, the tools and the choice, and the key as a bearer token', async () => {
      await collect({
        model: 'vendor/fake',
        instructions: 'Be brief.',
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'clock', arguments: '{}' } },
            ],
            provider_data: { secret: 1 },
          },
          { role: 'tool', tool_call_id: 'c1', content: 'noon' },
        ],
        tools: [{ name: 'clock', description: 'Tells the time', input_schema: { type: 'object' } }],
        tool_choice: { name: 'clock' },
        schema: { type: 'object' },
        max_output_tokens: 50,
      });
      const { body, headers } = fake.requests[0]!;
      expect(headers.authorization).toBe(`Bearer ${KEY}`);
      expect(body).toEqual({
        model: 'vendor/fake',
        stream: true,
        stream_options: { include_usage: true },
        max_completion_tokens: 50,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'clock', arguments: '{}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'noon' },
        ],
        tools: [
          {
            type: 'function',
            function: {
              name: 'clock',
              description: 'Tells the time',
              parameters: { type: 'object' },
            },
          },
        ],
        tool_choice: { type: 'function', function: { name: 'clock' } },
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: { type: 'object' } },
        },
      });
      expect(fake.violations).toEqual([]);
    });

    it('leaves out what was not asked for', async () => {
      await collect({ ...REQUEST, tools: [], tool_choice: 'auto' });
      expect(Object.keys(fake.requests[0]!.body).sort()).toEqual([
        'messages',
        'model',
        'stream',
        'stream_options',
      ]);
    });

    it('works without a key, and takes none from the environment', async () => {
      process.env.OPENAI_ADMIN_KEY = 'sk-admin';
      try {
        await collect(REQUEST, NEVER, new OpenAiProvider({ baseUrl: fake.baseUrl }));
      } finally {
        delete process.env.OPENAI_ADMIN_KEY;
      }
      expect(fake.requests[0]!.headers.authorization).toBe('Bearer none');
    });

    it('uses a connection again', async () => {
      for (let turn = 0; turn < 3; turn++) await collect();
      expect(await fake.connections).toBe(1);
    });
  });

  describe('what it understands', () => {
    it('streams thoughts and text, and closes with message, reason and usage', async () => {
      fake.reply({ thinking: 'Hm, well.', text: 'Good day 👋🏽 to you', chunk_size: 1 });
      const events = await collect();
      expect(joined(events, 'thinking_delta')).toBe('Hm, well.');
      expect(joined(events, 'text_delta')).toBe('Good day 👋🏽 to you');
      expect(events.at(-1)).toEqual({
        type: 'response_completed',
        message: { role: 'assistant', content: 'Good day 👋🏽 to you' },
        finish_reason: 'stop',
        usage: { input_tokens: 10, output_tokens: 5 },
      });
    });

    it('merges the deltas of one network read', async () => {
      fake.reply({
        steps: [
          {
            raw:
              'ab c'
                .split('')
                .map((content) => sse(delta({ content })))
                .join('') + sse(delta({}, 'stop')),
          },
          end,
        ],
      });
      expect((await collect()).map(({ type }) => type)).toEqual([
        'text_delta',
        'response_completed',
      ]);
    });

    it('streams parallel calls, whose deltas interleave', async () => {
      answerWith(
        delta({
          tool_calls: [
            { index: 0, id: 'a', type: 'function', function: { name: 'add', arguments: '' } },
          ],
        }),
        delta({
          tool_calls: [
            { index: 1, id: 'b', type: 'function', function: { name: 'mul', arguments: '{"x"' } },
          ],
        }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '{"y":1}' } }] }),
        delta({ tool_calls: [{ index: 1, function: { arguments: ':2}' } }] }),
        delta({}, 'tool_calls'),
        end,
      );
      const events = await collect();
      expect(ready(events)).toEqual([
        [0, 'a', 'add', '{"y":1}'],
        [1, 'b', 'mul', '{"x":2}'],
      ]);
      expect(events.at(-1)).toMatchObject({
        finish_reason: 'tool_calls',
        message: { content: null, tool_calls: [{ id: 'a' }, { id: 'b' }] },
      });
    });

    it('accepts a completion that is not streamed', async () => {
      fake.reply({
        body: {
          object: 'chat.completion',
          choices: [
            {
              message: { role: 'assistant', content: 'Whole', reasoning_content: 'Hm' },
              finish_reason: 'stop',
            },
          ],
          usage: { prompt_tokens: 3, completion_tokens: 1 },
        },
      });
      expect(await collect()).toEqual([
        { type: 'thinking_delta', delta: 'Hm' },
        { type: 'text_delta', delta: 'Whole' },
        {
          type: 'response_completed',
          message: { role: 'assistant', content: 'Whole' },
          finish_reason: 'stop',
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      ]);
    });

    it('reads a stream whatever its content type', async () => {
      fake.reply({ text: 'Hello', headers: { 'content-type': 'application/json' } });
      expect(joined(await collect(), 'text_delta')).toBe('Hello');
    });

    it('goes on after broken JSON', async () => {
      fake.reply({ text: ['Hel', { raw: 'data: {"choices":[{"del\n\n' }, 'lo'] });
      const events = await collect();
      expect(joined(events, 'text_delta')).toBe('Hello');
      expect(events).toContainEqual({
        type: 'trace',
        name: 'broken_json',
        detail: '{"choices":[{"del',
      });
    });

    it('tells of what it does not know, without the key, and bounded', async () => {
      fake.reply({
        text: ['Hel', { data: { type: 'surprise', text: `${KEY}${'x'.repeat(5_000)}` } }, 'lo'],
      });
      const events = await collect();
      const [trace] = events.filter(({ type }) => type === 'trace');
      expect(trace).toMatchObject({ name: 'unknown_event' });
      const detail = JSON.stringify(trace);
      expect(detail.length).toBeLessThan(1_200);
      expect(detail).not.toContain(KEY);
    });

    it('takes a stream without [DONE] and usage for whole when the reason came', async () => {
      fake.reply({ text: 'Hello', done: false, usage: null });
      expect((await collect()).at(-1)).toMatchObject({
        finish_reason: 'stop',
        usage: { input_tokens: 0, output_tokens: 0 },
      });
    });

    it('reads CRLF, comments and data of several lines', async () => {
      const text = JSON.stringify(
        { choices: [{ delta: { content: 'Hé 👋🏽' }, finish_reason: 'stop' }] },
        null,
        1,
      );
      const lines = text.split('\n').map((line) => `data: ${line}\r\n`);
      answerWith({ raw: `: wait\r\n\r\n${lines.join('')}\r\n: bye\r\n\r\n` });
      expect(joined(await collect(), 'text_delta')).toBe('Hé 👋🏽');
    });
  });

  describe('what goes wrong before the stream', () => {
    it.each([
      [400, 'model_refused', false],
      [401, 'model_auth', false],
      [403, 'model_auth', false],
      [404, 'model_not_found', false],
      [408, 'model_timeout', true],
      [409, 'model_overloaded', true],
      [422, 'model_refused', false],
      [429, 'model_rate_limited', true],
      [500, 'model_overloaded', true],
      [503, 'model_overloaded', true],
      [302, 'model_bad_response', false],
    ])('makes one error of status %i: %s, retryable: %s', async (status, code, retryable) => {
      fake.reply({ status, body: { error: { message: `No: ${KEY}`, type: 'x', code: null } } });
      const error = await failure();
      expect(error).toMatchObject({ code, retryable, status });
      expect(everything(error)).not.toContain(KEY);
      expect((error as Error).message).toContain('No: [key]');
      expect(fake.requests).toHaveLength(1);
    });

    it.each([
      [{ error: 'model not found' }, 'model not found'],
      [{ message: 'too long' }, 'too long'],
      [{ detail: [{ msg: 'field required' }] }, 'field required'],
      ['<html>502 Bad Gateway</html>', '502 Bad Gateway'],
    ])('quotes %j', async (body, text) => {
      fake.reply({ status: 502, body });
      expect(((await failure()) as Error).message).toContain(text);
    });

    it('says how long the vendor asks to wait', async () => {
      fake.reply({ status: 429, headers: { 'retry-after': '7' }, body: 'slow down' });
      expect(await failure()).toMatchObject({ retryable: true, retryAfterMs: 7_000 });
    });

    it('does not try again what has no quota left', async () => {
      fake.reply({
        status: 429,
        body: { error: { message: 'Quota', code: 'insufficient_quota' } },
      });
      expect(await failure()).toMatchObject({ code: 'model_rate_limited', retryable: false });
    });

    it('says that nobody listens', async () => {
      const nobody = connect({ baseUrl: 'http://127.0.0.1:9/v1' });
      const error = await failure(nobody);
      expect(error).toMatchObject({ code: 'model_unreachable', retryable: true });
      expect((error as Error).message).toMatch(
        /127\.0\.0\.1:9\/v1 can't be reached: .*ECONNREFUSED.*OPENAI_BASE_URL/,
      );
    });

    it.each([{ headers: { 'content-type': 'text/html' } }, {}])(
      'quotes HTML that came instead',
      async (turn) => {
        fake.reply({ ...turn, body: `<!doctype html><p>${KEY} ${'x'.repeat(1_000)}` });
        const error = await failure();
        expect(error).toMatchObject({ code: 'model_bad_response', retryable: false });
        const { message } = error as Error;
        expect(message).toMatch(
          /answered with HTML: "<!doctype html><p>\[key\] x+". Check OPENAI_BASE_URL: .*\/v1/,
        );
        expect(message.length).toBeLessThan(400);
      },
    );

    it.each([
      [{ hello: 1 }, 'model_bad_response'],
      ['just words\n', 'model_bad_response'],
      [{ error: { message: 'overloaded' } }, 'model_overloaded'],
      ['', 'model_cut_off'],
    ])('does not take %j for an answer', async (body, code) => {
      fake.reply({ status: 200, body });
      expect(await failure()).toMatchObject({ code });
    });

    it('gives up on a server that says nothing', async () => {
      fake.reply({ hang: true });
      const error = await failure(connect({ timeoutMs: 60 }));
      expect(error).toMatchObject({ code: 'model_timeout', retryable: true });
      expect(await (await fake.request(1)).ended).toBe('closed');
    });
  });

  describe('what goes wrong in the stream', () => {
    it.each([
      [{ data: { error: { message: `Oh ${KEY}`, code: 503 } } }, 'model_overloaded', true],
      [{ data: { error: { message: 'Oh', type: 'server_error' } } }, 'model_overloaded', true],
      [
        { data: { error: { message: 'Oh', code: 'context_length_exceeded' } } },
        'model_refused',
        false,
      ],
      [{ data: { error: 'Oh' } }, 'model_overloaded', true],
      [{ data: { object: 'error', message: 'Oh', code: 400 } }, 'model_refused', false],
      [{ raw: 'event: error\ndata: Oh\n\n' }, 'model_overloaded', true],
      [{ cut: true } as const, 'model_cut_off', true],
    ])('ends with an error at %j', async (step, code, retryable) => {
      const gate = new Gate();
      fake.reply({ text: ['Hello', gate, step, 'more'] });
      const events = provider.stream(REQUEST, NEVER)[Symbol.asyncIterator]();
      expect((await events.next()).value).toMatchObject({ type: 'text_delta' });
      gate.open();
      const error = await rest(events);
      expect(error).toMatchObject({ code, retryable });
      expect(everything(error)).not.toContain(KEY);
    });

    it('takes an end without a reason for a cut', async () => {
      fake.reply({ text: 'Hello', finish_reason: null, done: false });
      expect(await failure()).toMatchObject({ code: 'model_cut_off', retryable: true });
    });

    it('gives up on a server that falls silent', async () => {
      fake.reply({ text: ['Hello', new Gate()] });
      expect(await failure(connect({ timeoutMs: 60 }))).toMatchObject({
        code: 'model_timeout',
        retryable: true,
      });
      expect(await fake.requests[0]!.ended).toBe('closed');
    });

    it('refuses a line without end', async () => {
      answerWith({ raw: `data: ${'x'.repeat(9 * 1024 * 1024)}` }, new Gate());
      expect(await failure()).toMatchObject({ code: 'model_bad_response', retryable: false });
      expect(await fake.requests[0]!.ended).toBe('closed');
    });

    it('refuses a turn without end', async () => {
      fake.reply({ text: ['x'.repeat(2_000), new Gate()] });
      expect(await failure(connect({ maxTurnChars: 1_000 }))).toMatchObject({
        code: 'model_bad_response',
        retryable: false,
      });
    });
  });

  describe('who stops it', () => {
    it('closes the connection at once when aborted in the middle', async () => {
      fake.reply({ text: ['Hello', new Gate()] });
      const stop = new AbortController();
      const events = provider.stream(REQUEST, stop.signal)[Symbol.asyncIterator]();
      await events.next();
      const next = rest(events);
      stop.abort(new Error('enough'));
      expect(await next).toEqual(new Error('enough'));
      expect(await fake.requests[0]!.ended).toBe('closed');
    });

    it('closes the connection when aborted before the answer', async () => {
      fake.reply({ hang: true });
      const stop = new AbortController();
      const turn = collect(REQUEST, stop.signal);
      const request = await fake.request(1);
      stop.abort(new Error('enough'));
      await expect(turn).rejects.toThrow('enough');
      expect(await request.ended).toBe('closed');
    });

    it('sends nothing when it is aborted already', async () => {
      await expect(collect(REQUEST, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
        'enough',
      );
      expect(fake.requests).toEqual([]);
    });

    it('closes the connection when its reader leaves', async () => {
      fake.reply({ text: ['Hello', new Gate()] });
      for await (const event of provider.stream(REQUEST, NEVER)) {
        expect(event.type).toBe('text_delta');
        break;
      }
      expect(await fake.requests[0]!.ended).toBe('closed');
    });

    it('keeps the server waiting while its reader lags', async () => {
      const size = 30 * 1024 * 1024;
      const line = sse(delta({ content: 'x'.repeat(1_000) }));
      const last = new Gate();
      answerWith({ raw: line.repeat(size / 1_000) }, last, delta({}, 'stop'), end);
      const events = connect({ maxTurnChars: size * 2 })
        .stream(REQUEST, NEVER)
        [Symbol.asyncIterator]();
      await events.next();
      let isThrough = false;
      void last.reached.then(() => (isThrough = true));
      await turnsOfTheLoop(50);
      expect(isThrough).toBe(false);
      last.open();
      for (let event = await events.next(); !event.done; event = await events.next());
      expect(isThrough).toBe(true);
    });
  });
});

function sse(step: FakeStep): string {
  return `data: ${JSON.stringify((step as { data: unknown }).data)}\n\n`;
}

/** The error that `events` end with. */
async function rest(events: AsyncIterator<ModelEvent>): Promise<unknown> {
  try {
    while (!(await events.next()).done);
  } catch (error) {
    return error;
  }
  throw new Error('The turn went well');
}

/** All that an error tells, and the errors behind it. */
function everything(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error ?? null);
  const own = Object.getOwnPropertyNames(error).filter((name) => name !== 'cause');
  const texts = own.map((name) =>
    JSON.stringify((error as unknown as Record<string, unknown>)[name]),
  );
  return [...texts, everything(error.cause)].join('\n');
}

async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
