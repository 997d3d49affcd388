import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { violationOf, type ChatBody } from './fake-openai-rules.js';
import { stepsOf, type FakeStep, type FakeTurn } from './fake-openai-turn.js';
import { Gate } from './gate.js';

/** A turn, or what makes one of the request. */
export type FakeAnswer = FakeTurn | ((body: ChatBody) => FakeTurn);

export interface FakeRequest {
  readonly body: ChatBody;
  readonly headers: http.IncomingHttpHeaders;
  /** How the exchange ended: the whole answer was sent, or the connection closed before that. */
  readonly ended: Promise<'answered' | 'closed'>;
}

const GREETING: FakeTurn = { text: 'Hello from the fake model.' };

/**
 * An OpenAI-compatible server on loopback that says what a test tells it to, in the real wire format. It refuses conversations
 * that a vendor would refuse, and counts them in `violations`.
 */
export class FakeOpenAi {
  readonly requests: FakeRequest[] = [];
  readonly violations: string[] = [];
  private readonly server = http.createServer(
    (request, response) => void this.serve(request, response),
  );
  private readonly queue: FakeAnswer[] = [];
  private readonly watchers = new Set<() => void>();
  private fallback: FakeAnswer = GREETING;
  private ids = 0;

  static async start(): Promise<FakeOpenAi> {
    const fake = new FakeOpenAi();
    fake.server.listen(0, '127.0.0.1');
    await once(fake.server, 'listening');
    return fake;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Number of connections that are open. */
  get connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  /** The next requests get these, one each. */
  reply(...answers: readonly FakeAnswer[]): void {
    this.queue.push(...answers);
  }

  /** Every request that nothing is queued for gets this. */
  otherwise(answer: FakeAnswer): void {
    this.fallback = answer;
  }

  /** The nth request from 1, as soon as it is there. */
  async request(n: number): Promise<FakeRequest> {
    while (this.requests.length < n)
      await new Promise<void>((resolve) => this.watchers.add(resolve));
    return this.requests[n - 1]!;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request);
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
      return notFound(response);
    this.record({ body, headers: request.headers, ended: endOf(response) });
    const violation = violationOf(body);
    if (violation) return this.refuse(violation, response);
    const answer = this.queue.shift() ?? this.fallback;
    await this.answer(typeof answer === 'function' ? answer(body) : answer, response);
  }

  private record(request: FakeRequest): void {
    this.requests.push(request);
    for (const tell of this.watchers) tell();
    this.watchers.clear();
  }

  private refuse(message: string, response: ServerResponse): void {
    this.violations.push(message);
    sendJson(response, 400, {
      error: { message, type: 'invalid_request_error', param: null, code: null },
    });
  }

  private async answer(turn: FakeTurn, response: ServerResponse): Promise<void> {
    if (turn.hang) return;
    if (turn.status !== undefined || turn.body !== undefined) return sendBody(response, turn);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      ...turn.headers,
    });
    response.flushHeaders();
    for (const step of stepsOf(turn, () => `call_${++this.ids}`)) {
      if (response.destroyed) return;
      await perform(step, response);
    }
    response.end();
  }
}

async function perform(step: FakeStep, response: ServerResponse): Promise<void> {
  if (step instanceof Gate) return step.pass();
  if ('cut' in step) return void response.destroy();
  const bytes = 'raw' in step ? step.raw : `data: ${JSON.stringify(step.data)}\n\n`;
  if (!response.write(bytes)) await drained(response);
}

/** Also resolves when there is nobody left to take it. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function endOf(response: ServerResponse): Promise<'answered' | 'closed'> {
  return new Promise((resolve) =>
    response.on('close', () => resolve(response.writableFinished ? 'answered' : 'closed')),
  );
}

async function readJson(request: IncomingMessage): Promise<ChatBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as ChatBody;
}

function sendBody(response: ServerResponse, turn: FakeTurn): void {
  const { status = 200, body = '' } = turn;
  if (typeof body !== 'string') return sendJson(response, status, body, turn.headers);
  response.writeHead(status, { 'content-type': 'text/plain', ...turn.headers });
  response.end(body);
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: object = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function notFound(response: ServerResponse): void {
  sendJson(response, 404, { error: { message: 'Invalid URL', type: 'invalid_request_error' } });
}
