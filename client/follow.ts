import { noAnswerOfParley, ParleyError, unreachable } from './http.js';
import { ReadOnce } from './read-once.js';
import { SseParser } from './sse.js';
import type { Frame } from './sse.js';
import type { ChatStreamEvent, FeedEvent } from './types.js';

/** Three heartbeats of the server's default. */
const SILENCE_MS = 45_000;
/** Until a server has said something else. */
const RETRY_MS = 1_000;
/** Bounds of the first pause, which a server may ask to be none, and of each further one. */
const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 30_000;
/** A server that asks for more is asked again all the same; `setTimeout` takes 24 days at most. */
const MAX_RETRY_AFTER_MS = 300_000;

export interface FollowOptions {
  /** The reader has everything up to here: a `cursor` of an earlier stream. */
  readonly cursor?: string | undefined;
  /** Ends the stream with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** A connection that has carried nothing for this long is broken; 45,000 unless given. */
  readonly silence_ms?: number | undefined;
  /** Fails after so many milliseconds without any connection; unless given it never gives up. */
  readonly give_up_ms?: number | undefined;
  /** Told whenever the connection stands or is lost, for people. */
  readonly onConnection?: ((connection: Connection) => void) | undefined;
}

export type Connection =
  | { readonly state: 'live' }
  | {
      readonly state: 'reconnecting';
      /** Number of attempts that failed one after the other, from 1. */
      readonly attempt: number;
      /** Until the next one. */
      readonly delay_ms: number;
      /** Undefined: the server ended the connection. */
      readonly error: ParleyError | undefined;
    };

/** The position that a connection starts from. */
export interface Position {
  readonly cursor: string | undefined;
  readonly interaction_id: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws ParleyError if there is no stream to be had */
export type Open = (position: Position) => Promise<Response>;

type AnyEvent = ChatStreamEvent | FeedEvent;

/**
 * The events of a stream, each once and in order, over however many connections that takes. It is
 * read once, and sends nothing before that. It ends after `INTERACTION_COMPLETE` of the stream of
 * one interaction, with a `ParleyError` that trying again can't change, or when its signal is
 * aborted. Leaving the loop closes the connection.
 */
export class EventStream<E extends AnyEvent> implements AsyncIterable<E> {
  /** The cursor after the last event that was read, to come back with. */
  cursor: string | undefined;
  /** The interaction of the last event, or that the server has named at the start. */
  interaction_id: string | undefined;
  private readonly events: AsyncGenerator<E, void>;
  private readonly once = new ReadOnce();
  private attempt = 0;
  private retry = RETRY_MS;
  private lostSince: number | undefined;
  private hasEnded = false;

  constructor(
    private readonly open: Open,
    private readonly options: FollowOptions,
    /** Set for the stream of one interaction, with its id if known; other streams have no end. */
    private readonly one?: { readonly interaction_id?: string },
  ) {
    this.cursor = options.cursor;
    this.interaction_id = one?.interaction_id;
    this.events = this.read();
  }

  [Symbol.asyncIterator](): AsyncGenerator<E, void> {
    return this.events;
  }

  private async *read(): AsyncGenerator<E, void> {
    const { signal } = this.options;
    for (;;) {
      signal?.throwIfAborted();
      let error: ParleyError | undefined;
      try {
        yield* this.connect();
      } catch (thrown) {
        signal?.throwIfAborted();
        if (!(thrown instanceof ParleyError && thrown.isTemporary)) throw thrown;
        error = thrown;
      }
      if (this.hasEnded) return;
      await this.pause(error);
    }
  }

  /** Reads one connection to its end. */
  private async *connect(): AsyncGenerator<E, void> {
    const watch = new Watch(this.options.signal, this.options.silence_ms ?? SILENCE_MS);
    try {
      const { cursor, interaction_id } = this;
      const response = await watch.wait(
        this.open({ cursor, interaction_id, signal: watch.signal }),
      );
      if (response.status === 204) this.hasEnded = true;
      else yield* this.readBody(requireStream(response), watch);
    } finally {
      watch.stop();
    }
  }

  private async *readBody(response: Response, watch: Watch): AsyncGenerator<E, void> {
    this.interaction_id ??= idIn(response.headers.get('location'));
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = response.body!.getReader();
    const begun = Date.now();
    this.options.onConnection?.({ state: 'live' });
    for (;;) {
      const { value, done } = await watch.wait(readFrom(reader, response.url));
      if (done) return;
      const frames = parser.push(decoder.decode(value, { stream: true }));
      [this.lostSince, this.retry] = [undefined, parser.retry ?? this.retry];
      // Bytes alone prove nothing: a proxy may cut each connection after some.
      if (frames.length > 0 || Date.now() - begun > MAX_RETRY_MS) this.attempt = 0;
      for (const frame of frames) {
        watch.signal.throwIfAborted();
        const event = this.take(frame);
        if (event) yield event;
        if (this.hasEnded) return;
      }
    }
  }

  private take({ id, data }: Frame): E | undefined {
    const event = this.once.take(parse(data) as E);
    if (!event) return undefined;
    if (id !== '') this.cursor = id;
    if ('interaction_id' in event) this.interaction_id = event.interaction_id;
    this.hasEnded = this.one !== undefined && event.type === 'INTERACTION_COMPLETE';
    return event;
  }

  /** @throws ParleyError when it is time to give up */
  private async pause(error: ParleyError | undefined): Promise<void> {
    const { signal, give_up_ms = Infinity, onConnection } = this.options;
    this.lostSince ??= Date.now();
    const left = this.lostSince + give_up_ms - Date.now();
    if (left <= 0) throw error ?? unreachable('the server', new Error('it ends each connection'));
    const first = Math.max(this.retry, MIN_RETRY_MS);
    const backoff = Math.min(first * 2 ** this.attempt++, MAX_RETRY_MS);
    const retryAfter = Math.min(error?.retry_after_ms ?? 0, MAX_RETRY_AFTER_MS);
    const delay_ms = Math.max(retryAfter, backoff * (1 + Math.random() / 4));
    onConnection?.({ state: 'reconnecting', attempt: this.attempt, delay_ms, error });
    signal?.throwIfAborted();
    await sleep(Math.min(delay_ms, left), signal);
  }
}

/** Aborts a connection when the reader leaves, and when it has been silent for too long. */
class Watch {
  private readonly controller = new AbortController();
  private readonly abort = (): void => this.controller.abort(this.outer?.reason);

  constructor(
    private readonly outer: AbortSignal | undefined,
    private readonly silenceMs: number,
  ) {
    outer?.addEventListener('abort', this.abort);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Fails when the connection has ended, by the reader or by a silence that is too long. */
  wait<T>(answer: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise<T>((resolve, reject) => {
      const fail = (): void => reject(signal.reason as Error);
      const timer = setTimeout(() => this.controller.abort(silent(this.silenceMs)), this.silenceMs);
      signal.addEventListener('abort', fail);
      if (signal.aborted) fail();
      void answer.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        signal.removeEventListener('abort', fail);
      });
    });
  }

  stop(): void {
    this.outer?.removeEventListener('abort', this.abort);
    this.controller.abort();
  }
}

async function readFrom(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  url: string,
): Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }> {
  try {
    return await reader.read();
  } catch (error) {
    throw unreachable(url, error);
  }
}

function silent(ms: number): ParleyError {
  return new ParleyError(0, 'silent', `The server has sent nothing for ${ms} ms.`);
}

/** @throws ParleyError for an answer of something else than a Parley server */
function requireStream(response: Response): Response {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  throw noAnswerOfParley(response, 'an event stream');
}

function parse(data: string): unknown {
  try {
    const event: unknown = JSON.parse(data);
    if (typeof event === 'object' && event !== null) return event;
  } catch {
    // Reported below.
  }
  const detail = 'The stream has an event that is no JSON object. Is it of a Parley server?';
  throw new ParleyError(200, 'not_parley', detail);
}

/** Id of the interaction in `/chats/…/interactions/<id>/events`. */
function idIn(location: string | null): string | undefined {
  return location?.match(/\/interactions\/([^/]+)\/events$/)?.[1];
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });
}
