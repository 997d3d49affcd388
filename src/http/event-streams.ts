import type { ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, MessageEvent } from '@nestjs/common';
import {
  ReplaySubject,
  defer,
  endWith,
  filter,
  interval,
  map,
  merge,
  share,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs';
import type { Observable } from 'rxjs';
import type { Authenticated } from '../auth/caller.decorator.js';
import { Config } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';
import { afterTick } from '../kernel/after-tick.js';
import { doneWithin } from '../kernel/done-within.js';
import { CredentialWatch } from './credential-watch.js';

/** For `@Sse`: a reader that has more than this many characters to take is disconnected (I10). */
export const MAX_PENDING_LENGTH = 1024 * 1024;
/** Delay before a disconnected client reconnects, in milliseconds. */
const RETRY_MS = 1_000;
/** Timeout for a reader that takes nothing of the written data, in milliseconds. */
const STALL_MS = 60_000;
/**
 * Timeout for readers to take the rest when the server stops, in milliseconds, if the shutdown
 * grace period allows it.
 */
const FAREWELL_MS = 1_000;
/** A process takes the streams of so many users that have `MAX_STREAMS` each. */
const USERS_AT_ONCE = 10;

/**
 * The event streams of this process: what `@Sse` leaves to the application. Reconnection hint,
 * heartbeats, one write per tick, a limit on how long a reader may stall, and an end when the
 * server stops or the reader's credential is no longer valid. Every message needs an id of its own,
 * as Nest numbers those without.
 */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  /** With the topic of each, as far as it is known. */
  private readonly open = new Map<ServerResponse, string | undefined>();
  private readonly shutdown = new ReplaySubject<void>(1);
  private readonly heartbeats: Observable<MessageEvent>;

  constructor(
    private readonly config: Config,
    private readonly credentials: CredentialWatch,
  ) {
    const heartbeat = { comment: '' };
    this.heartbeats = interval(config.heartbeatMs).pipe(
      map(() => heartbeat),
      share(),
    );
  }

  /** Streams that are open. */
  get count(): number {
    return this.open.size;
  }

  /**
   * Counts a response that will be a stream, until it is closed. Called before the work that the
   * stream is about begins, so that a refused client has started nothing.
   * @throws AppError `too_many_streams` (503)
   */
  admit(response: ServerResponse): void {
    const { maxStreams } = this.config;
    const user = userOf(response);
    const own = [...this.open.keys()].filter((other) => userOf(other) === user).length;
    if (own >= maxStreams) throw tooMany('The user', maxStreams, 'MAX_STREAMS');
    const most = maxStreams * USERS_AT_ONCE;
    if (this.open.size >= most) throw tooMany('The server', most, 'MAX_STREAMS');
    this.note(response);
  }

  /**
   * @param name of the topic, for people
   * @throws AppError `too_many_streams` (503) if the topic has its maximum of streams
   */
  join(response: ServerResponse, topic: string, name = topic): void {
    const { maxStreamsPerInteraction: most } = this.config;
    let count = 0;
    for (const other of this.open.values()) if (other === topic) count++;
    if (count >= most) throw tooMany(name, most, 'MAX_STREAMS_PER_INTERACTION');
    if (this.open.has(response)) this.open.set(response, topic);
  }

  /**
   * The stream of messages for a controller to return; `response` sends them. They must not fail
   * once one was emitted.
   */
  send(
    messages: Observable<MessageEvent>,
    response: ServerResponse,
    stallMs = STALL_MS,
  ): Observable<MessageEvent> {
    return defer(() => {
      this.track(response, stallMs);
      const heartbeats = this.heartbeats.pipe(filter(() => !response.writableNeedDrain));
      return merge(messages.pipe(map(withRetry), endWith(undefined)), heartbeats).pipe(
        takeWhile((message) => message !== undefined),
        writeOncePerTick(response),
        takeUntil(merge(this.shutdown, this.credentials.watch(response))),
      );
    });
  }

  /**
   * Ends what is open, so that clients reconnect elsewhere and the HTTP server can close. Later
   * streams are ended at once.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.shutdown.next();
    const closed = [...this.open.keys()].map((response) => closeOf(response));
    await doneWithin(Promise.all(closed), Math.min(FAREWELL_MS, this.config.shutdownGraceMs / 5));
    for (const response of this.open.keys()) response.destroy();
  }

  private note(response: ServerResponse): void {
    if (response.closed || this.open.has(response)) return;
    this.open.set(response, undefined);
    response.once('close', () => this.open.delete(response));
  }

  private track(response: ServerResponse, stallMs: number): void {
    if (response.closed) return;
    this.note(response);
    response.on('error', () => {}); // a write after the client has disconnected: 'close' follows
    response.setTimeout(stallMs, () => {
      if (response.writableLength > 0) response.destroy();
    });
  }
}

/** The part of a stream that its reader has not taken yet; Observables have no back-pressure. */
export class StreamBacklog {
  private length = 0;

  constructor(private readonly response: ServerResponse) {}

  /** The producer should wait for `drained` before the next message. */
  get isFull(): boolean {
    return this.length > MAX_PENDING_LENGTH / 4;
  }

  add(length: number): void {
    this.length += length;
  }

  /** Resolves when the reader has taken enough to go on, or is gone. */
  async drained(): Promise<void> {
    await immediate(); // Nest passes messages on to the response one by one, within the tick
    while (this.response.writableNeedDrain && !this.response.closed) {
      await drainOf(this.response);
      await immediate();
    }
    this.length = 0;
  }
}

/** Sent with the first message, because a separate message would be given an id. */
function withRetry(message: MessageEvent, index: number): MessageEvent {
  return index === 0 ? { ...message, retry: RETRY_MS } : message;
}

/** Nest writes messages one by one: those of a tick are sent to the client together. */
function writeOncePerTick(
  response: ServerResponse,
): (messages: Observable<MessageEvent>) => Observable<MessageEvent> {
  let isCorked = false;
  return tap(() => {
    const { socket } = response;
    if (isCorked || !socket) return;
    isCorked = true;
    socket.cork();
    afterTick(() => {
      isCorked = false;
      socket.uncork();
    });
  });
}

/** Undefined without a principal, as in tests of streams alone. */
function userOf({ req }: ServerResponse): string | undefined {
  const { principal } = req as Authenticated;
  return principal && JSON.stringify([principal.tenant_id, principal.user_id]);
}

function tooMany(owner: string, most: number, variable: string): AppError {
  return new AppError(
    'unavailable',
    'too_many_streams',
    `${owner} has ${most} open event streams already (${variable}). Close some, or retry shortly with the same cursor.`,
  );
}

function closeOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', resolve));
}

function drainOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
