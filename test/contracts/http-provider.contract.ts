import type { HttpProviderOptions } from '../../src/models/http/http-provider-options.js';
import type { HttpProvider } from '../../src/models/http/http-provider.js';
import type { FakeHttpTurn, FakeModel, FakeStep } from '../support/model/fake-model.js';
import { Gate } from '../support/gate.js';
import {
  collect,
  errorOf,
  everything,
  failure,
  joined,
  NEVER,
  REQUEST,
  turnsOfTheLoop,
} from '../support/model/provider-probe.js';

const KEY = 'sk-secret-0123456789';

/** What the fakes of all vendors understand. */
interface Turn extends FakeHttpTurn {
  readonly thinking?: string;
  readonly text?: string | readonly (string | FakeStep)[];
  readonly chunk_size?: number;
  readonly steps?: readonly FakeStep[];
}

export interface HttpVendor {
  startFake(): Promise<FakeModel<Turn> & { readonly baseUrl: string }>;
  create(options: HttpProviderOptions): HttpProvider;
  /** What its servers answer with a status. */
  errorBody(message: string): object;
  /** The bytes of one delta of text. */
  textEvent(text: string): string;
  /** Variables that an error names. */
  readonly variables: { readonly key: string; readonly url: string };
}

/** What every provider over HTTP keeps to. */
export function describeHttpProvider(name: string, vendor: HttpVendor): void {
  describe(`${name}, as any vendor over HTTP`, () => {
    let fake: Awaited<ReturnType<HttpVendor['startFake']>>;
    let provider: HttpProvider;

    beforeEach(async () => {
      fake = await vendor.startFake();
      provider = connect();
    });

    afterEach(async () => {
      provider.close();
      await fake.stop();
    });

    function connect(options: HttpProviderOptions = {}): HttpProvider {
      return vendor.create({ apiKey: KEY, baseUrl: fake.baseUrl, ...options });
    }

    it('streams thoughts and text, cut by no character', async () => {
      fake.reply({ thinking: 'Hm, well.', text: 'Good day 👋🏽 to you', chunk_size: 1 });
      const events = await collect(provider);
      expect(joined(events, 'thinking_delta')).toBe('Hm, well.');
      expect(joined(events, 'text_delta')).toBe('Good day 👋🏽 to you');
      expect(events.at(-1)).toMatchObject({
        type: 'response_completed',
        message: { role: 'assistant', content: 'Good day 👋🏽 to you' },
        finish_reason: 'stop',
        usage: { input_tokens: 10, output_tokens: 5 },
      });
      expect(fake.violations).toEqual([]);
    });

    it('uses a connection again', async () => {
      for (let turn = 0; turn < 3; turn++) await collect(provider);
      expect(await fake.connections).toBe(1);
    });

    it('reads a stream whatever its content type', async () => {
      fake.reply({ text: 'Hello', headers: { 'content-type': 'application/json' } });
      expect(joined(await collect(provider), 'text_delta')).toBe('Hello');
    });

    it('goes on after broken JSON', async () => {
      fake.reply({ text: ['Hel', { raw: 'data: {"ty\n\n' }, 'lo'] });
      const events = await collect(provider);
      expect(joined(events, 'text_delta')).toBe('Hello');
      expect(events).toContainEqual({ type: 'trace', name: 'broken_json', detail: '{"ty' });
    });

    it('tells of what it does not know, without the key, and bounded', async () => {
      fake.reply({
        text: ['Hel', { data: { type: 'surprise', text: `${KEY}${'x'.repeat(5_000)}` } }, 'lo'],
      });
      const events = await collect(provider);
      expect(joined(events, 'text_delta')).toBe('Hello');
      const [trace] = events.filter(({ type }) => type === 'trace');
      expect(trace).toMatchObject({ name: 'unknown_event' });
      const detail = JSON.stringify(trace);
      expect(detail.length).toBeLessThan(1_200);
      expect(detail).not.toContain(KEY);
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
        [529, 'model_overloaded', true],
        [302, 'model_bad_response', false],
      ])('makes one error of status %i: %s, retryable: %s', async (status, code, retryable) => {
        fake.reply({ status, body: vendor.errorBody(`No: ${KEY}`) });
        const error = await failure(provider);
        expect(error).toMatchObject({ code, retryable, status });
        expect(everything(error)).not.toContain(KEY);
        expect((error as Error).message).toContain('No: [key]');
        expect(fake.requests).toHaveLength(1);
      });

      it('names the variable of a key that is refused', async () => {
        fake.reply({ status: 401, body: vendor.errorBody('No') });
        expect(((await failure(provider)) as Error).message).toContain(vendor.variables.key);
      });

      it.each([
        [{ error: 'model not found' }, 'model not found'],
        [{ message: 'too long' }, 'too long'],
        [{ detail: [{ msg: 'field required' }] }, 'field required'],
        ['<html>502 Bad Gateway</html>', '502 Bad Gateway'],
      ])('quotes %j', async (body, text) => {
        fake.reply({ status: 502, body });
        expect(((await failure(provider)) as Error).message).toContain(text);
      });

      it('says how long the vendor asks to wait', async () => {
        fake.reply({ status: 429, headers: { 'retry-after': '7' }, body: 'slow down' });
        expect(await failure(provider)).toMatchObject({ retryable: true, retryAfterMs: 7_000 });
      });

      it.each([
        [429, 'Please try again in 7.66s. Need more?', {}, 7_660],
        [503, 'Please retry after 9 seconds.', {}, 9_000],
        [429, 'Please try again in 1m2.5s.', { 'retry-after': '2' }, 62_500],
        [429, 'Please try again in 200ms.', { 'retry-after': '45' }, 45_000],
      ])(
        'reads how long it asks to wait from its words, too: %i %s',
        async (status, said, headers, wait) => {
          fake.reply({ status, headers, body: vendor.errorBody(said) });
          expect(await failure(provider)).toMatchObject({ retryable: true, retryAfterMs: wait });
        },
      );

      it('names a long wait that only a header asks for', async () => {
        fake.reply({ status: 429, headers: { 'retry-after': '3600' }, body: 'slow down' });
        expect(((await failure(provider)) as Error).message).toMatch(/a wait of 3600 s\.$/);
      });

      it.each([
        {
          details: [{ violations: [{ quotaId: 'RequestsPerDayPerModel' }] }, { retryDelay: '8s' }],
        },
        { message: 'Rate limit exceeded: RequestsPerDayPerModel' },
      ])('names a quota of the day, and is not to be asked again: %j', async (error) => {
        fake.reply({ status: 429, body: [{ error: { code: 429, ...error } }] });
        const failed = await failure(provider);
        expect(failed).toMatchObject({ code: 'model_rate_limited', retryable: false });
        expect((failed as Error).message).toContain('RequestsPerDayPerModel');
      });

      it('says that nobody listens', async () => {
        const error = await failure(connect({ baseUrl: 'http://127.0.0.1:9/v1' }));
        expect(error).toMatchObject({ code: 'model_unreachable', retryable: true });
        const { message } = error as Error;
        expect(message).toMatch(/127\.0\.0\.1:9\S* can't be reached: .*ECONNREFUSED/);
        expect(message).toContain(vendor.variables.url);
      });

      it.each([{ headers: { 'content-type': 'text/html' } }, {}])(
        'quotes HTML that came instead',
        async (turn) => {
          fake.reply({ ...turn, body: `<!doctype html><p>${KEY} ${'x'.repeat(1_000)}` });
          const error = await failure(provider);
          expect(error).toMatchObject({ code: 'model_bad_response', retryable: false });
          const { message } = error as Error;
          expect(message).toMatch(/answered with HTML: "<!doctype html><p>\[key\] x+"/);
          expect(message).toContain(`Check ${vendor.variables.url}: `);
          expect(message.length).toBeLessThan(400);
        },
      );

      it.each([
        [{ hello: 1 }, 'model_bad_response'],
        ['just words\n', 'model_bad_response'],
        ['', 'model_cut_off'],
      ])('does not take %j for an answer', async (body, code) => {
        fake.reply({ status: 200, body });
        expect(await failure(provider)).toMatchObject({ code });
      });

      it('gives up on a server that says nothing', async () => {
        fake.reply({ hang: true });
        const error = await failure(connect({ timeoutMs: 1_000 }));
        expect(error).toMatchObject({ code: 'model_timeout', retryable: true });
        expect(await (await fake.request(1)).ended).toBe('closed');
      });
    });

    describe('what goes wrong in the stream', () => {
      it.each([
        [{ raw: 'event: error\ndata: Oh\n\n' }, 'model_overloaded', true],
        [{ cut: true } as const, 'model_cut_off', true],
      ])('ends with an error at %j', async (step, code, retryable) => {
        const gate = new Gate();
        fake.reply({ text: ['Hello', gate, step, 'more'] });
        const events = provider.stream(REQUEST, NEVER)[Symbol.asyncIterator]();
        expect((await events.next()).value).toMatchObject({ type: 'text_delta' });
        gate.open();
        expect(await errorOf(events)).toMatchObject({ code, retryable });
      });

      it('gives up on a server that falls silent', async () => {
        fake.reply({ text: ['Hello', new Gate()] });
        expect(await failure(connect({ timeoutMs: 1_000 }))).toMatchObject({
          code: 'model_timeout',
          retryable: true,
        });
        expect(await (await fake.request(1)).ended).toBe('closed');
      });

      it('refuses a line without end', async () => {
        fake.reply({ steps: [{ raw: `data: ${'x'.repeat(9 * 1024 * 1024)}` }, new Gate()] });
        expect(await failure(provider)).toMatchObject({
          code: 'model_bad_response',
          retryable: false,
        });
        expect(await (await fake.request(1)).ended).toBe('closed');
      });

      it.each(['text', 'thinking'])('refuses a turn without end: %s', async (field) => {
        fake.reply({ [field]: 'x'.repeat(2_000) });
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
        const next = errorOf(events);
        stop.abort(new Error('enough'));
        expect(await next).toEqual(new Error('enough'));
        expect(await (await fake.request(1)).ended).toBe('closed');
      });

      it('closes the connection when aborted before the answer', async () => {
        fake.reply({ hang: true });
        const stop = new AbortController();
        const turn = collect(provider, REQUEST, stop.signal);
        const request = await fake.request(1);
        stop.abort(new Error('enough'));
        await expect(turn).rejects.toThrow('enough');
        expect(await request.ended).toBe('closed');
      });

      it('sends nothing when it is aborted already', async () => {
        const aborted = AbortSignal.abort(new Error('enough'));
        await expect(collect(provider, REQUEST, aborted)).rejects.toThrow('enough');
        expect(fake.requests).toEqual([]);
      });

      it('closes the connection when its reader leaves', async () => {
        fake.reply({ text: ['Hello', new Gate()] });
        for await (const event of provider.stream(REQUEST, NEVER)) {
          expect(event.type).toBe('text_delta');
          break;
        }
        expect(await (await fake.request(1)).ended).toBe('closed');
      });

      it('keeps the server waiting while its reader lags', async () => {
        const size = 30 * 1024 * 1024;
        const line = vendor.textEvent('x'.repeat(1_000));
        const last = new Gate();
        fake.reply({ text: [{ raw: line.repeat(size / 1_000) }, last, 'end'] });
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
}
