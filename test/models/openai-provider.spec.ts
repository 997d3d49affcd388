import type { HttpProviderOptions } from '../../src/models/http/http-provider-options.js';
import { OpenAiProvider } from '../../src/models/openai/openai-provider.js';
import { sse, type FakeStep } from '../support/model/fake-model.js';
import { delta } from '../support/model/fake-openai-turn.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
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

  const answerWith = (...steps: FakeStep[]): void => fake.reply({ steps });
  const end = { raw: 'data: [DONE]\n\n' };

  describe('what it asks', () => {
    it.each([
      [1_024, 'low'],
      [24_575, 'medium'],
      [1_000_000, 'high'],
    ])('asks for the effort within a budget of %i tokens', async (budget_tokens, effort) => {
      await collect(provider, { ...REQUEST, thinking: { budget_tokens } });
      expect(fake.requests.at(-1)!.body).toMatchObject({ reasoning_effort: effort });
    });

    it('sends the conversation, the tools and the choice, and the key as a bearer token', async () => {
      await collect(provider, {
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
        max_tokens: 50,
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
              parameters: { type: 'object', properties: {} },
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

    it('shows what tools show in a message after all results of the turn', async () => {
      await collect(connect({ sees: () => true }), LOOKED);
      const [, , first, second, shown, answer] = fake.requests[0]!.body.messages;
      expect([first, second]).toEqual([
        { role: 'tool', tool_call_id: 'c1', content: 'a.png is an image' },
        { role: 'tool', tool_call_id: 'c2', content: 'noon' },
      ]);
      expect(shown).toEqual({
        role: 'user',
        content: [
          { type: 'text', text: 'What the tool call c1 shows:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGES.png}` } },
        ],
      });
      expect(answer).toEqual({ role: 'assistant', content: 'It is red.' });
      expect(fake.violations).toEqual([]);
    });

    it('tells a model that can’t see so, and sends it no image', async () => {
      await collect(provider, LOOKED);
      const { messages } = fake.requests[0]!.body;
      expect(messages.map(({ role }: { role: string }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'tool',
        'assistant',
        'user',
      ]);
      expect(messages[2].content).toMatch(/^a\.png is an image\n\[The model in use can’t see/);
      expect(JSON.stringify(messages)).not.toContain(IMAGES.png);
    });

    it('leaves out what was not asked for', async () => {
      await collect(provider, { ...REQUEST, tools: [], tool_choice: 'auto' });
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
        await collect(new OpenAiProvider({ baseUrl: fake.baseUrl }));
      } finally {
        delete process.env.OPENAI_ADMIN_KEY;
      }
      expect(fake.requests[0]!.headers.authorization).toBe('Bearer none');
    });
  });

  describe('what it understands', () => {
    it('merges the deltas of one network read', async () => {
      fake.reply({
        steps: [
          {
            raw:
              'ab c'
                .split('')
                .map((content) => bytes(delta({ content })))
                .join('') + bytes(delta({}, 'stop')),
          },
          end,
        ],
      });
      expect((await collect(provider)).map(({ type }) => type)).toEqual([
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
      const events = await collect(provider);
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
      expect(await collect(provider)).toEqual([
        { type: 'thinking_delta', delta: 'Hm' },
        { type: 'text_delta', delta: 'Whole' },
        {
          type: 'response_completed',
          message: {
            ...{ role: 'assistant', content: 'Whole' },
            provider_data: {
              openai: {
                ...{ model: 'fake', endpoint: expect.any(String), calls: [] },
                message: { reasoning_content: 'Hm' },
              },
            },
          },
          finish_reason: 'stop',
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      ]);
    });

    it('takes a stream without [DONE] and usage for whole when the reason came', async () => {
      fake.reply({ text: 'Hello', done: false, usage: null });
      expect((await collect(provider)).at(-1)).toMatchObject({
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
      expect(joined(await collect(provider), 'text_delta')).toBe('Hé 👋🏽');
    });
  });

  describe('what goes wrong before the stream', () => {
    it('does not try again what has no quota left', async () => {
      fake.reply({
        status: 429,
        body: { error: { message: 'Quota', code: 'insufficient_quota' } },
      });
      expect(await failure(provider)).toMatchObject({
        code: 'model_rate_limited',
        retryable: false,
      });
    });

    it.each([
      [{ hello: 1 }, 'model_bad_response'],
      ['just words\n', 'model_bad_response'],
      [{ error: { message: 'overloaded' } }, 'model_overloaded'],
      ['', 'model_cut_off'],
    ])('does not take %j for an answer', async (body, code) => {
      fake.reply({ status: 200, body });
      expect(await failure(provider)).toMatchObject({ code });
    });
  });

  describe('what goes wrong in the stream', () => {
    it.each([
      [{ data: { error: { message: `Oh ${KEY}`, code: 503 } } }, 'model_overloaded', true],
      [{ data: { error: { message: 'Oh', type: 'server_error' } } }, 'model_overloaded', true],
      [
        { data: { error: { message: 'Oh', code: 'context_length_exceeded' } } },
        'model_context_exceeded',
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
      const error = await errorOf(events);
      expect(error).toMatchObject({ code, retryable });
      expect(everything(error)).not.toContain(KEY);
    });

    it.each([{ done: false } as const, {}])(
      'takes an end without a reason for a cut: %j',
      async (more) => {
        fake.reply({ text: 'Hello', finish_reason: null, ...more });
        expect(await failure(provider)).toMatchObject({ code: 'model_cut_off', retryable: true });
      },
    );
  });
});

function bytes(step: FakeStep): string {
  return sse(step as { data: unknown });
}
