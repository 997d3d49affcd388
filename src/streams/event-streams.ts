import type { ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, MessageEvent } from '@nestjs/common';
import { Observable, map, tap } from 'rxjs';
import type { Authenticated } from '../auth/caller.decorator.js';
import { Config } from '../config/config.js';
import type { Backlog } from '../kernel/async/backlog.js';
import { AppError } from '../kernel/app-error.js';
import { doneWithin } from '../kernel/async/promises.js';
import { Counts } from '../kernel/counts.js';
import { CredentialWatch } from './credential-watch.js';
import { OpenStream } from './open-stream.js';
import { ResponseLimits } from './response-limits.js';
import { closeOf, isGone } from './unsent-responses.js';

/** For `@Sse`: a reader that has more than this many characters to take is disconnected (I10). */
export const MAX_PENDING_LENGTH = 1024 * 1024;
/**
 * Timeout for readers to take the rest when the server stops, in milliseconds, if the shutdown
 * grace period allows it.
 */
const DRAIN_TIMEOUT_MS = 1_000;
/** A process takes the streams of so many users that have `MAX_STREAMS` each. */
const USERS_AT_ONCE = 10;

/** An event as a stream sends it; `cursor` is its id. */
export interface StreamedEvent {
  readonly cursor: string;
  readonly event: { readonly type: string };
}

/** A frame as it is sent; its data is one line. */
export interface StreamFrame {
  readonly data: string;
  readonly id?: string;
  readonly type?: string;
}

export interface EventFrames {
  readonly response: ServerResponse;
  /** False: frames have no `event` field. */
  readonly named: boolean;
}

/**
 * The event streams of this process: what `@Sse` leaves to the application. Reconnection hint,
 * heartbeats, one write per tick, and an end when the server stops or the reader's credential is no
 * longer valid. Every message needs an id of its own, as Nest numbers those without.
 */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  /** With what each counts for: its user, and its topic as far as it is known. */
  private readonly open = new Map<ServerResponse, (string | undefined)[]>();
  private readonly counts = new Counts();
  private readonly sending = new Set<OpenStream>();
  private heartbeats: NodeJS.Timeout | undefined;
  private isShutDown = false;

  constructor(
    private readonly config: Config,
    private readonly credentials: CredentialWatch,
    private readonly limits: ResponseLimits,
  ) {}

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
    if (this.counts.of(userOf(response)) >= maxStreams)
      throw tooMany('The user', maxStreams, 'MAX_STREAMS');
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
    const key = `topic ${topic}`;
    if (this.counts.of(key) >= most) throw tooMany(name, most, 'MAX_STREAMS_PER_INTERACTION');
    const admitted = this.open.get(response);
    if (!admitted) return;
    admitted.push(key);
    this.counts.add(key, 1);
  }

  /**
   * The stream of events for a controller to return, of a response that was admitted. They must not
   * fail.
   * @param follow gives them at the pace of the backlog
   */
  sendEvents(
    { response, named }: EventFrames,
    follow: (backlog: Backlog) => Observable<StreamedEvent>,
  ): Observable<MessageEvent> {
    return this.sendFrames(response, (backlog) =>
      follow(backlog).pipe(
        map(({ cursor: id, event }) => {
          const data = JSON.stringify(event);
          return named ? { id, type: event.type.toLowerCase(), data } : { id, data };
        }),
      ),
    );
  }

  /**
   * Sends frames like `sendEvents` sends events. Nest numbers those without an id: only for
   * protocols whose clients ignore ids.
   * @param heartbeat gives the frame of a heartbeat; undefined: a comment
   */
  sendFrames(
    response: ServerResponse,
    follow: (backlog: Backlog) => Observable<StreamFrame>,
    heartbeat?: () => StreamFrame | undefined,
  ): Observable<MessageEvent> {
    const backlog = new StreamBacklog(response);
    const frames = follow(backlog).pipe(tap(({ data }) => backlog.add(data.length)));
    return this.send(frames, response, heartbeat);
  }

  /**
   * The stream of messages for a controller to return; `response` sends them. They must not fail
   * once one was emitted.
   */
  send(
    messages: Observable<MessageEvent>,
    response: ServerResponse,
    heartbeat: () => StreamFrame | undefined = () => undefined,
  ): Observable<MessageEvent> {
    return new Observable((reader) => {
      this.track(response);
      if (this.isShutDown) return reader.complete();
      const stream = new OpenStream(reader, response, heartbeat);
      this.sending.add(stream);
      this.heartbeats ??= setInterval(() => this.beat(), this.config.heartbeatMs);
      const stopWatching = this.credentials.watch(response, stream);
      const subscription = messages.subscribe(stream);
      return () => {
        subscription.unsubscribe();
        stopWatching();
        this.sending.delete(stream);
        if (this.sending.size === 0) this.stopBeating();
      };
    });
  }

  /**
   * Sends white space at each heartbeat until it is told to stop: for an answer in JSON, which may
   * begin with it, that takes long.
   */
  keepAlive(response: ServerResponse): () => void {
    const beating = setInterval(() => {
      if (!response.writableNeedDrain) response.write('\n');
    }, this.config.heartbeatMs);
    const stop = (): void => clearInterval(beating);
    response.once('close', stop);
    return stop;
  }

  /**
   * Ends what is open, so that clients reconnect elsewhere and the HTTP server can close. Later
   * streams are ended at once.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isShutDown = true;
    for (const stream of this.sending) stream.complete();
    const closed = [...this.open.keys()].map((response) => closeOf(response));
    await doneWithin(
      Promise.all(closed),
      Math.min(DRAIN_TIMEOUT_MS, this.config.shutdownGraceMs / 5),
    );
    for (const response of this.open.keys()) response.destroy();
  }

  private beat(): void {
    for (const stream of this.sending) stream.beat();
  }

  private stopBeating(): void {
    clearInterval(this.heartbeats);
    this.heartbeats = undefined;
  }

  private note(response: ServerResponse): void {
    if (isGone(response) || this.open.has(response)) return;
    this.limits.watch(response);
    this.limits.release(response);
    const admitted = [userOf(response)];
    this.open.set(response, admitted);
    this.counts.add(admitted[0], 1);
    response.once('close', () => {
      this.open.delete(response);
      for (const key of admitted) this.counts.add(key, -1);
    });
  }

  private track(response: ServerResponse): void {
    if (isGone(response)) return;
    this.note(response);
    response.on('error', () => {}); // a write after the client has disconnected: 'close' follows
  }
}

/** The part of a stream that its reader has not taken yet; Observables have no back-pressure. */
class StreamBacklog implements Backlog {
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

/** Undefined without a principal, as in tests of streams alone. */
function userOf({ req }: ServerResponse): string | undefined {
  const { principal } = req as Authenticated;
  return principal && `user ${JSON.stringify([principal.tenant_id, principal.user_id])}`;
}

function tooMany(owner: string, most: number, variable: string): AppError {
  return new AppError(
    'unavailable',
    'too_many_streams',
    `${owner} has ${most} open event streams already (${variable}). Close some, or retry shortly with the same cursor.`,
  );
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
