import { setMaxListeners } from 'node:events';
import { addAbortSignal } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SocketFetch } from '../../net/socket-fetch.js';
import type { SocketResponse } from '../../net/socket-response.js';
import { CallWatch } from './call-watch.js';
import { cleanEvents, cleanWhole, StreamPlace } from './event-stream.js';
import { bounded, MessageTooLarge } from './message-size.js';

/** Minimum interval in milliseconds between two streams that are opened. */
const STREAM_PAUSE_MS = 250;
/** The status by which servers say that they send nothing by themselves. */
const NO_STREAM = 405;

/** Resolves after so many milliseconds; rejects when the signal aborts. */
type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

const pause: Pause = (ms, signal) => delay(ms, undefined, { ref: false, signal });

interface Stream {
  readonly url: string | URL;
  readonly init: RequestInit;
  /** Aborts when the stream is not read any more. */
  readonly over: AbortSignal;
  readonly place: StreamPlace;
}

/**
 * The HTTP requests of one connection to a server, without time limits of their own, with bounded
 * messages as `cleanIncoming` writes them. Streams that end go on where they ended.
 */
export class MessageExchange {
  /** Called when the server may have sent notifications that it won't repeat. */
  onMissed: () => void = () => {};
  /** Called when the server doesn't know the session any more. */
  onForgotten: () => void = () => {};
  private next = 0;
  /** Never on a connection that was used before: a call might have to be sent again. */
  private readonly sockets: SocketFetch;

  constructor(
    proxyUrl?: string,
    private readonly wait = pause,
  ) {
    this.sockets = new SocketFetch({ keepAlive: false, ...(proxyUrl && { proxyUrl }) });
  }

  /** Sends a message. A response that breaks off, or is too large, fails its request. */
  async send(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const watch = CallWatch.current;
    const response = await this.request(url, { ...init, ...(watch && { signal: watch.over }) });
    if (!response.ok) return response;
    return withBody(response, watched(this.answer(response, { url, init }, watch), watch));
  }

  /** Opens the stream of what the server sends by itself, and goes on with it for ever. */
  async listen(url: string | URL, init: RequestInit): Promise<Response> {
    const over = init.signal ?? new AbortController().signal;
    const stream = { url, init, over, place: new StreamPlace() };
    const response = await this.open(stream, 0);
    if (hasEvents(response)) return withBody(response, this.notifications(response, stream));
    return response.ok ? new Response(null, { status: NO_STREAM }) : response;
  }

  private answer(
    response: SocketResponse,
    sent: Pick<Stream, 'url' | 'init'>,
    watch: CallWatch | undefined,
  ): AsyncGenerator<Uint8Array> {
    if (hasEvents(response) && watch)
      return this.events(response, { ...sent, over: watch.over, place: new StreamPlace() });
    const body = bounded(response.incoming, false);
    return typeOf(response).includes('json') ? cleanWhole(body) : body;
  }

  /** The events of a response, and of the streams that continue it. */
  private async *events(first: SocketResponse, stream: Stream): AsyncGenerator<Uint8Array> {
    for (let response = first; ;) {
      try {
        yield* eventsOf(response, stream);
      } catch (error) {
        if (stream.over.aborted) return;
        if (stream.place.lastEventId === undefined || error instanceof MessageTooLarge) throw error;
      }
      if (stream.place.lastEventId === undefined) return;
      const next = await this.openAgain(stream);
      if (!next || !hasEvents(next)) return;
      response = next;
    }
  }

  private async *notifications(first: SocketResponse, stream: Stream): AsyncGenerator<Uint8Array> {
    for (let response = first; ;) {
      try {
        yield* eventsOf(response, stream);
      } catch {
        // the next one may do better
      }
      const next = await this.openAgain(stream);
      if (next?.status === 404) this.onForgotten();
      if (!next || !hasEvents(next)) return;
      response = next;
      if (stream.place.lastEventId === undefined) this.onMissed();
    }
  }

  /** Undefined if the stream is over meanwhile. */
  private openAgain(stream: Stream): Promise<SocketResponse | undefined> {
    return this.open(stream, stream.place.waitMs(0)).catch(() => undefined);
  }

  /** Resolves when a stream is open, or when the server says that there is none. */
  private async open(stream: Stream, firstWaitMs: number): Promise<SocketResponse> {
    const { url, init, place, over: signal } = stream;
    const headers = new Headers(init.headers);
    headers.delete('content-type');
    headers.set('accept', 'text/event-stream');
    if (place.lastEventId !== undefined) headers.set('last-event-id', place.lastEventId);
    let waitMs = firstWaitMs;
    for (let failed = 1; ; failed++) {
      await this.turn(waitMs, signal);
      const response = await this.request(url, { method: 'GET', headers, signal }).catch(
        () => undefined,
      );
      signal.throwIfAborted();
      if (response && !isPassing(response.status)) {
        if (!hasEvents(response)) response.incoming.destroy();
        return response;
      }
      waitMs = place.waitMs(failed);
    }
  }

  private async request(url: string | URL, init: RequestInit): Promise<SocketResponse> {
    if (init.signal) setMaxListeners(0, init.signal); // one for each request that is on its way
    return (await this.sockets.fetch(url, init)) as SocketResponse;
  }

  private async turn(waitMs: number, signal: AbortSignal): Promise<void> {
    await this.wait(waitMs, signal);
    const now = performance.now();
    const at = Math.max(this.next, now);
    this.next = at + STREAM_PAUSE_MS;
    if (at > now) await pause(at - now, signal);
  }
}

function eventsOf(response: SocketResponse, { over, place }: Stream): AsyncGenerator<Uint8Array> {
  return cleanEvents(bounded(addAbortSignal(over, response.incoming), true), place);
}

function hasEvents(response: Response): boolean {
  return response.ok && typeOf(response).includes('text/event-stream');
}

function typeOf(response: Response): string {
  return response.headers.get('content-type') ?? '';
}

/** True for a fault of the server or on the way, which may be over at the next attempt. */
function isPassing(status: number): boolean {
  return (status >= 500 && status !== 501) || status === 408 || status === 429;
}

async function* watched(
  body: AsyncGenerator<Uint8Array>,
  watch: CallWatch | undefined,
): AsyncGenerator<Uint8Array> {
  watch?.began();
  try {
    yield* body;
  } catch (error) {
    watch?.failed(error as Error);
    throw error;
  } finally {
    watch?.ended();
  }
}

/** The response with another body; a body that is not read is closed with it. */
function withBody(response: SocketResponse, body: AsyncGenerator<Uint8Array>): Response {
  const { status, statusText, headers } = response;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await body.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void response.incoming.destroy(),
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { status, statusText, headers });
}
