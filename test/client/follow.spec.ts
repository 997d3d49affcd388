import { createClient, ParleyError } from '../../client/index.js';
import type { ClientOptions, Connection, StreamEvent } from '../../client/index.js';
import { skipPauses } from '../support/client/skip-pauses.js';

type Answer = (init: RequestInit & { readonly url: string }) => Response | Promise<Response>;

const STARTED = frame('1', { type: 'INTERACTION_STARTED', seq: 1 });
const ANSWER = frame('2', { type: 'ANSWER', seq: 2, block_id: '1b0', content: 'Hi' });
const COMPLETE = frame('3', { type: 'INTERACTION_COMPLETE', seq: 3, status: 'COMPLETED' });

function frame(id: string, event: object): string {
  const data = JSON.stringify({ interaction_id: 'int_1', agent_id: 'agent_1', ...event });
  return `id: ${id}\ndata: ${data}\n\n`;
}

function stream(...frames: string[]): Response {
  return answer(frames.join(''));
}

function answer(text: string, headers: Record<string, string> = {}): Response {
  return new Response(`retry: 1\n\n${text}`, {
    headers: { 'content-type': 'text/event-stream', ...headers },
  });
}

/** A stream that stays open. */
function open(text: string): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`retry: 1\n\n${text}`)),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = { type: `/problems/${code}`, title: code, status, detail: `It is ${code}.` };
  return Response.json(
    { ...body, instance: '/', active_interaction_id: 'int_0' },
    { status, headers },
  );
}

/** A client whose requests get these answers in turn, and the requests. */
function clientOf(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const requests: { url: string; method: string; headers: Headers; body: unknown }[] = [];
  const left = [...answers];
  const client = createClient({
    url: 'http://parley/base/',
    ...options,
    fetch: async (url, init = {}) => {
      const { method = 'GET', headers, body } = init;
      requests.push({ url: url as string, method, headers: new Headers(headers), body });
      const next = left.shift();
      if (!next) throw new Error('one request too many');
      return next({ ...init, url: url as string });
    },
  });
  return { client, requests };
}

async function typesOf(events: AsyncIterable<StreamEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const event of events) types.push(event.type);
  return types;
}

const ALL = ['INTERACTION_STARTED', 'ANSWER', 'INTERACTION_COMPLETE'];
const broken = (): Response => {
  throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
};

skipPauses();

describe('start', () => {
  it('is sent again with the same key and body until its interaction is known, then followed', async () => {
    const { client, requests } = clientOf([
      () => stream(),
      broken,
      () => stream(STARTED),
      () => stream(ANSWER, COMPLETE),
    ]);
    const events = client.start('plans', { user_message: 'Hi' });
    expect(requests).toEqual([]);
    expect(await typesOf(events)).toEqual(ALL);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      ...Array.from({ length: 3 }, () => 'POST http://parley/base/chats/plans/interactions'),
      'GET http://parley/base/chats/plans/interactions/int_1/events',
    ]);
    const [first, second, third, follows] = requests;
    const key = first!.headers.get('idempotency-key');
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    for (const again of [second!, third!]) {
      expect(again.headers.get('idempotency-key')).toBe(key);
      expect(again.body).toBe(first!.body);
    }
    expect(follows!.headers.get('last-event-id')).toBe('1');
    expect([events.cursor, events.interaction_id]).toEqual(['3', 'int_1']);
  });

  it('follows what `Location` names, if that is all that came', async () => {
    const location = '/base/chats/plans/interactions/int_1/events';
    const { client, requests } = clientOf([
      () => answer('', { location }),
      () => stream(STARTED, ANSWER, COMPLETE),
    ]);
    expect(await typesOf(client.start('plans', { user_message: 'Hi' }))).toEqual(ALL);
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(requests[1]!.headers.get('last-event-id')).toBeNull();
  });

  it('ends with a refusal, whose problem has all members', async () => {
    const { client } = clientOf([() => problem(409, 'chat_busy')]);
    const refused = typesOf(client.start('plans', { user_message: 'Hi' }));
    await expect(refused).rejects.toMatchObject({
      ...{ name: 'ParleyError', status: 409, code: 'chat_busy', detail: 'It is chat_busy.' },
      ...{ errors: [], problem: { active_interaction_id: 'int_0' } },
    });
  });
});

describe('follow', () => {
  it.each([
    ['the server is away', broken],
    ['429', () => problem(429, 'quota_exceeded', { 'retry-after': '0' })],
    ['408', () => problem(408, 'timeout')],
    ['503', () => problem(503, 'shutting_down', { 'retry-after': '0' })],
    ['an error of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['an end without the last event', () => stream()],
  ])('tries again after %s', async (_, fails) => {
    const { client, requests } = clientOf([
      () => stream(STARTED),
      fails,
      () => stream(ANSWER, COMPLETE),
    ]);
    expect(await typesOf(client.follow('plans', 'int_1'))).toEqual(ALL);
    expect(requests.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '1', '1']);
  });

  it.each([400, 401, 403, 404, 422])('ends with %i, once', async (status) => {
    const { client } = clientOf([() => stream(STARTED), () => problem(status, 'refused')]);
    const events = client.follow('plans', 'int_1');
    await expect(typesOf(events)).rejects.toMatchObject({ status, code: 'refused' });
    expect(await typesOf(events)).toEqual([]);
  });

  it('ends at 204, and with an answer that is no stream', async () => {
    const { client } = clientOf([
      () => new Response(null, { status: 204 }),
      () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } }),
    ]);
    expect(await typesOf(client.follow('plans', 'int_1', { cursor: '3' }))).toEqual([]);
    const other = typesOf(client.follow('plans', 'int_1'));
    await expect(other).rejects.toMatchObject({ code: 'not_parley' });
  });

  it('waits as long as `Retry-After` says', async () => {
    const delays: Connection[] = [];
    const { client } = clientOf([
      () => problem(503, 'shutting_down', { 'retry-after': '0.05' }),
      () => stream(STARTED, COMPLETE),
    ]);
    const onConnection = (connection: Connection): unknown => delays.push(connection);
    await typesOf(client.follow('plans', 'int_1', { onConnection }));
    expect(delays).toMatchObject([
      { state: 'reconnecting', attempt: 1, error: { code: 'shutting_down', retry_after_ms: 50 } },
      { state: 'live' },
    ]);
  });

  it('waits five minutes at most, whatever `Retry-After` says', async () => {
    const { client, requests } = clientOf([
      () => problem(503, 'shutting_down', { 'retry-after': '99999999' }),
    ]);
    const reader = new AbortController();
    const seen: Connection[] = [];
    const onConnection = (connection: Connection): void => {
      seen.push(connection);
      reader.abort(new Error('left'));
    };
    const events = client.follow('plans', 'int_1', { signal: reader.signal, onConnection });
    await expect(typesOf(events)).rejects.toThrow('left');
    expect(seen).toMatchObject([{ state: 'reconnecting', delay_ms: 300_000 }]);
    expect(requests).toHaveLength(1);
  });

  it('pauses ever longer until an event comes, whatever `retry` says', async () => {
    const idle = (): Response =>
      new Response('retry: 0\n\n: hi\n\n', { headers: { 'content-type': 'text/event-stream' } });
    const { client } = clientOf([
      ...[idle, idle, idle],
      () => stream(STARTED),
      () => stream(ANSWER, COMPLETE),
    ]);
    const seen: Connection[] = [];
    const onConnection = (connection: Connection): unknown => seen.push(connection);
    expect(await typesOf(client.follow('plans', 'int_1', { onConnection }))).toEqual(ALL);
    const pauses = seen.flatMap((it) => (it.state === 'reconnecting' ? [it] : []));
    expect(pauses.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1]);
    for (const [index, least] of [250, 500, 1_000, 250].entries()) {
      expect(pauses[index]!.delay_ms).toBeGreaterThanOrEqual(least);
      expect(pauses[index]!.delay_ms).toBeLessThanOrEqual(least * 1.25);
    }
  });

  it('takes silence for a broken connection', async () => {
    const { client, requests } = clientOf([
      ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', reject)),
      () => open(STARTED),
      () => stream(ANSWER, COMPLETE),
    ]);
    const events = client.follow('plans', 'int_1', { silence_ms: 20 });
    expect(await typesOf(events)).toEqual(ALL);
    expect(requests).toHaveLength(3);
  });

  it('gives up when it may, with the last reason', async () => {
    const { client } = clientOf([() => stream(STARTED), broken]);
    const events = typesOf(client.follow('plans', 'int_1', { give_up_ms: 0 }));
    await expect(events).rejects.toBeInstanceOf(ParleyError);
  });

  it('ends with the reason of its signal: while it reads, waits, and before it begins', async () => {
    const reason = new Error('left');
    const { client } = clientOf([
      () => open(STARTED),
      () => problem(503, 'shutting_down', { 'retry-after': '600' }),
    ]);
    const reading = new AbortController();
    const events = client.follow('plans', 'int_1', { signal: reading.signal });
    const read = (async () => {
      for await (const _ of events) reading.abort(reason);
    })();
    await expect(read).rejects.toBe(reason);
    const waiting = new AbortController();
    const onConnection = (): void => waiting.abort(reason);
    const waits = client.follow('plans', 'int_1', { signal: waiting.signal, onConnection });
    await expect(typesOf(waits)).rejects.toBe(reason);
    const signal = AbortSignal.abort(reason);
    await expect(typesOf(client.follow('plans', 'int_1', { signal }))).rejects.toBe(reason);
  });

  it('closes the connection of a reader that leaves', async () => {
    let signal: AbortSignal | null | undefined;
    const { client } = clientOf([(init) => ((signal = init.signal), open(STARTED + ANSWER))]);
    for await (const _ of client.follow('plans', 'int_1')) break;
    expect(signal?.aborted).toBe(true);
  });

  it('reads everything again when the log went back', async () => {
    const error = frame('0', { type: 'ERROR', code: 'log_went_back', message: 'It did.' });
    const { client, requests } = clientOf([
      () => stream(STARTED, ANSWER, error),
      () => stream(STARTED, COMPLETE),
    ]);
    const [started, complete] = [ALL[0], ALL[2]];
    const types = await typesOf(client.follow('plans', 'int_1'));
    expect(types).toEqual([started, 'ANSWER', 'ERROR', started, complete]);
    expect(requests[1]!.headers.get('last-event-id')).toBe('0');
  });

  it('asks for its key at each connection', async () => {
    const keys = ['first', 'second'];
    const { client, requests } = clientOf([() => stream(STARTED), () => stream(COMPLETE)], {
      key: () => keys.shift()!,
    });
    await typesOf(client.follow('plans', 'int_1'));
    const sent = requests.map(({ headers }) => headers.get('authorization'));
    expect(sent).toEqual(['Bearer first', 'Bearer second']);
  });
});

describe('A request', () => {
  it('encodes ids and queries, and reads what comes', async () => {
    const { client, requests } = clientOf([
      () => Response.json({ items: [] }),
      () => new Response('up 1\n', { headers: { 'content-type': 'text/plain' } }),
      () => new Response(null, { status: 204 }),
    ]);
    expect(await client.chats.list({ limit: 2, cursor: 'a&b' })).toEqual({ items: [] });
    expect(await client.metrics()).toBe('up 1\n');
    expect(await client.chats.delete('a/b?c')).toBeUndefined();
    expect(requests.map(({ url }) => url.slice('http://parley/base'.length))).toEqual([
      '/chats?limit=2&cursor=a%26b',
      '/metrics',
      '/chats/a%2Fb%3Fc',
    ]);
    await expect(client.chats.delete('..')).rejects.toThrow(TypeError);
  });

  it('fails with the reason, and is not repeated', async () => {
    const { client } = clientOf([broken, () => new Response('oops', { status: 500 })]);
    await expect(client.tools.list()).rejects.toMatchObject({
      ...{ status: 0, code: 'unreachable' },
      detail: 'No answer from http://parley/base: ECONNREFUSED. Is the server running?',
    });
    await expect(client.tools.list()).rejects.toMatchObject({ status: 500, code: 'http_500' });
  });
});
