import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Gate } from '../gate.js';

/** A request body as it came, of which nothing is known yet. */
export type ChatBody = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any -- parsed JSON, whatever it is

/** One thing that a fake server does with the body of its answer. */
export type FakeStep =
  /** Waits until the test opens the gate. */
  | Gate
  /** Sends one event with this JSON. */
  | { readonly data: unknown; readonly event?: string }
  /** Sends these bytes as they are. */
  | { readonly raw: string | Buffer }
  /** Destroys the connection. */
  | { readonly cut: true };

/** What the faults of any fake model have in common. */
export interface FakeHttpTurn {
  /** Answers this status and body instead of a stream. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | object;
  /** Takes the request and never answers. */
  readonly hang?: true;
}

/** A turn, or what makes one of the request. */
export type FakeAnswer<T> = T | ((body: ChatBody) => T);

export interface FakeRequest {
  readonly body: ChatBody;
  /** The body as it was sent. */
  readonly json: string;
  readonly headers: http.IncomingHttpHeaders;
  /** How the exchange ended: the whole answer was sent, or the connection closed before that. */
  readonly ended: Promise<'answered' | 'closed'>;
}

/**
 * A model's API on loopback that says what a test tells it to, in the real wire format. It refuses
 * conversations that a vendor would refuse, and counts them in `violations`.
 */
export abstract class FakeModel<T extends FakeHttpTurn> {
  readonly requests: FakeRequest[] = [];
  readonly violations: string[] = [];
  protected ids = 0;
  private readonly server = http.createServer(
    (request, response) => void this.serve(request, response),
  );
  private readonly queue: FakeAnswer<T>[] = [];
  private readonly watchers = new Set<() => void>();

  private fallback: FakeAnswer<T>;

  protected constructor(private readonly usual: FakeAnswer<T>) {
    this.fallback = usual;
  }

  protected abstract readonly path: string;
  /** What a strict vendor would refuse in a request. */
  protected abstract violationOf(request: FakeRequest): string | undefined;
  protected abstract refusal(message: string): object;

  /** Why this server refuses what others take; it is no violation. */
  protected refusalOf(_request: FakeRequest): string | undefined {
    return undefined;
  }

  protected abstract steps(turn: T): readonly FakeStep[];

  /** Number of connections that are open. */
  get connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  /** The next requests get these, one each. */
  reply(...answers: readonly FakeAnswer<T>[]): void {
    this.queue.push(...answers);
  }

  /** Every request that nothing is queued for gets this. */
  otherwise(answer: FakeAnswer<T>): void {
    this.fallback = answer;
  }

  /** As it was when it started. */
  reset(): void {
    for (const list of [this.requests, this.violations, this.queue]) list.length = 0;
    this.fallback = this.usual;
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

  protected async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  protected get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = await text(request);
    if (request.method !== 'POST' || request.url !== this.path)
      return sendJson(response, 404, this.refusal('Invalid URL'));
    const body = JSON.parse(json || '{}') as ChatBody;
    const taken = { body, json, headers: request.headers, ended: endOf(response) };
    this.record(taken);
    const refusal = this.refusalOf(taken);
    if (refusal) return sendJson(response, 400, this.refusal(refusal));
    const violation = this.violationOf(taken);
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
    sendJson(response, 400, this.refusal(message));
  }

  private async answer(turn: T, response: ServerResponse): Promise<void> {
    if (turn.hang) return;
    if (turn.status !== undefined || turn.body !== undefined) return sendBody(response, turn);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      ...turn.headers,
    });
    response.flushHeaders();
    for (const step of this.steps(turn)) {
      if (response.destroyed) return;
      await perform(step, response);
    }
    response.end();
  }
}

/** The bytes of one event. */
export function sse({ data, event }: { readonly data: unknown; readonly event?: string }): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

async function perform(step: FakeStep, response: ServerResponse): Promise<void> {
  if (step instanceof Gate) return step.pass();
  if ('cut' in step) return void response.destroy();
  const bytes = 'raw' in step ? step.raw : sse(step);
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

function sendBody(response: ServerResponse, turn: FakeHttpTurn): void {
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
