import { documentedAnswers } from './documented-answers.js';
import { EventReader } from './event-reader.js';
import { EventStream } from './event-stream.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

/** An answer that is no stream; `body` is parsed if it is JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any -- parsed JSON, whatever it is
}

export type Body = Readonly<Record<string, unknown>> | string;
interface Sent {
  readonly body?: Body | undefined;
  readonly form?: FormData;
  readonly headers?: RequestHeaders | undefined;
}

type RequestHeaders = Readonly<Record<string, string>>;

const JSON_TYPE = { 'content-type': 'application/json' };
const IN_BACKGROUND = { accept: 'application/json' };

/** A client of the API, over real sockets; of several servers, it asks the next one each time. */
export class ApiClient {
  private readonly urls: readonly string[];
  private asked = 0;
  /** Of its credential, for requests that are made without it. */
  headers: RequestHeaders = {};

  constructor(...urls: readonly string[]) {
    this.urls = urls;
  }

  /** The same with an API key or a token in each request. */
  bearing(credential: string): ApiClient {
    const client = new ApiClient(...this.urls);
    client.headers = { authorization: `Bearer ${credential}` };
    return client;
  }

  get url(): string {
    return this.urls[this.asked++ % this.urls.length]!;
  }

  get(path: string): Promise<Reply> {
    return this.send('GET', path);
  }

  post(path: string, body?: Body, headers?: RequestHeaders): Promise<Reply> {
    return this.send('POST', path, { body, headers });
  }

  patch(path: string, body: Body): Promise<Reply> {
    return this.send('PATCH', path, { body });
  }

  delete(path: string): Promise<Reply> {
    return this.send('DELETE', path);
  }

  /** Starts an interaction and reads along. A string is the user's message. */
  async stream(
    chat: string,
    body: Body,
    headers: RequestHeaders = {},
    query = '',
  ): Promise<EventStream> {
    return this.open(`/chats/${chat}/interactions${query}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, accept: 'text/event-stream', ...headers },
      body: JSON.stringify(asBody(body)),
    });
  }

  /** Starts an interaction and reads it to its end. */
  async say(chat: string, body: Body, headers?: RequestHeaders): Promise<EventReader> {
    return new EventReader().readAll(await this.stream(chat, body, headers));
  }

  /** Starts an interaction in the background. */
  async begin(chat: string, body: Body, headers: RequestHeaders = {}): Promise<Interaction> {
    const reply = await this.post(`/chats/${chat}/interactions`, asBody(body), {
      ...IN_BACKGROUND,
      ...headers,
    });
    if (reply.status !== 202) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as Interaction;
  }

  /** The events of an interaction, after the cursor in `Last-Event-ID` if one is given. */
  events(
    of: Pick<Interaction, 'chat_id' | 'id'>,
    cursor?: string,
    query = '',
  ): Promise<EventStream> {
    return this.open(`${pathOf(of)}/events${query}`, {
      headers: cursor === undefined ? {} : { 'last-event-id': cursor },
    });
  }

  /** Any other stream, after the cursor in `Last-Event-ID` if one is given. */
  watch(path: string, cursor?: string): Promise<EventStream> {
    return this.open(path, { headers: cursor === undefined ? {} : { 'last-event-id': cursor } });
  }

  /**
   * Reads to the end, coming back with its cursor whenever `drop` says that the connection breaks.
   */
  async follow(
    of: Pick<Interaction, 'chat_id' | 'id'>,
    drop: (frame: EventFrame) => boolean = () => false,
    reader = new EventReader(),
  ): Promise<EventReader> {
    while (!reader.done) {
      const stream = await this.events(of, reader.cursor);
      if (stream.status !== 200) throw new Error(`${stream.status} at the cursor ${reader.cursor}`);
      for await (const frame of stream) {
        reader.read(frame);
        if (drop(frame)) break;
      }
    }
    return reader;
  }

  /** The interaction as it is now. */
  async interaction(of: Pick<Interaction, 'chat_id' | 'id'>): Promise<Interaction> {
    return (await this.get(pathOf(of))).body as Interaction;
  }

  /** A request with the client's credential, whose answer is left as it is. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.headers, ...(init.headers as RequestHeaders | undefined) };
    return fetch(this.url + path, { ...init, headers });
  }

  private async open(path: string, init: RequestInit): Promise<EventStream> {
    const connection = new AbortController();
    const response = await this.fetch(path, { ...init, signal: connection.signal });
    return new EventStream(response, connection);
  }

  async send(method: string, path: string, { body, form, headers }: Sent = {}): Promise<Reply> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...this.headers, ...(body !== undefined && JSON_TYPE), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(form && { body: form }),
    });
    const { status } = response;
    const answer = parsed(await response.text());
    documentedAnswers().require(method, path, status, answer);
    return { status, headers: response.headers, body: answer };
  }
}

function asBody(body: Body): Readonly<Record<string, unknown>> {
  return typeof body === 'string' ? { user_message: body } : body;
}

function pathOf({ chat_id, id }: Pick<Interaction, 'chat_id' | 'id'>): string {
  return `/chats/${chat_id}/interactions/${id}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** As lines of HTTP, for a request that is written by hand. */
export function headerLines(headers: RequestHeaders): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
