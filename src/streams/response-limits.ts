import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleDestroy,
} from '@nestjs/common';
import type { RequestHandler, Response } from 'express';
import type { Authenticated } from '../auth/caller.decorator.js';
import { Config } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';
import { clientPauseInSeconds } from '../kernel/client-pause.js';
import { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/async/periodic.js';
import { doneWithin } from '../kernel/async/promises.js';
import { Counts } from '../kernel/counts.js';
import { exceedsShare, surplusOf } from '../kernel/fair-share.js';
import type { Held } from '../kernel/fair-share.js';
import { sendProblem } from '../http/errors/problem.filter.js';
import { closeOf, closeUnsent, isGone } from './unsent-responses.js';

/** Timeout for a client that takes nothing of the written data, in milliseconds. */
export const STALL_MS = 60_000;
const CHECK_MS = 1_000;
/** Answers get the grace period of a shutdown, divided by this. */
const DRAIN_DIVISOR = 5;
/** Bytes of an answer that is sent in any case: connections have buffers of that size anyhow. */
const EXEMPT_BYTES = 16 * 1024;
/** Each part of the server that cares for a response listens to its end. */
const MAX_LISTENERS = 30;

interface Waiting {
  /** Bytes that the client had taken. */
  readonly taken: number;
  /** Monotonic. */
  readonly since: number;
}

/** An answer of which bytes wait for the client. */
interface HeldAnswer extends Held {
  readonly response: ServerResponse;
}

/**
 * Limits of all responses, whatever they are: a client that takes nothing is disconnected, a user
 * has at most `MAX_REQUESTS` that are not answered yet, and at most `MAX_UNREAD_BYTES` wait for
 * clients to read them (I10).
 */
@Injectable()
export class ResponseLimits
  implements
    OnApplicationBootstrap,
    OnModuleDestroy,
    BeforeApplicationShutdown,
    OnApplicationShutdown
{
  private readonly open = new Map<ServerResponse, Waiting | undefined>();
  private readonly requests = new Counts();
  private readonly counted = new Map<ServerResponse, string>();
  /** At least what waits: it is counted again when it seems too much. */
  private unread = new Counts();
  private isStopping = false;
  private readonly rounds: Periodic;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    const run = (): void => this.check();
    this.rounds = new Periodic(clock, { name: 'Responses', every_ms: CHECK_MS, run });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  /** From now on, connections are closed with their answers. */
  onModuleDestroy(): void {
    this.isStopping = true;
    for (const response of this.open.keys()) closeAfter(response);
  }

  /** Answers what was accepted, before Nest closes the connections. */
  async beforeApplicationShutdown(): Promise<void> {
    const deadline = this.clock.monotonic() + this.config.shutdownGraceMs / DRAIN_DIVISOR;
    for (let left = 1; this.open.size > 0 && left > 0; left = deadline - this.clock.monotonic()) {
      const closed = [...this.open.keys()].map((response) => closeOf(response));
      await doneWithin(Promise.all(closed), left); // others may have come meanwhile
    }
  }

  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  /** Express middleware for every request, before all that may answer. */
  readonly watchAll: RequestHandler = (request, response, next) => {
    this.watch(response);
    if (this.isStopping) closeAfter(response);
    if (request.method === 'GET') this.refuseUnread(response);
    next();
  };

  /** Express middleware, once the user is known. Refuses what is too much. */
  readonly admit: RequestHandler = (_request, response, next) => next(this.findRefusal(response));

  /** From now on the client has to take what is written. */
  watch(response: ServerResponse): void {
    if (isGone(response) || this.open.has(response)) return;
    this.open.set(response, undefined);
    closeUnsent(response);
    response.setMaxListeners(MAX_LISTENERS);
    response.once('close', () => {
      this.open.delete(response);
      this.release(response);
    });
  }

  /** Ends the request of a response that goes on as a stream, which has limits of its own. */
  release(response: ServerResponse): void {
    const owner = this.counted.get(response);
    if (!this.counted.delete(response)) return;
    this.requests.add(owner, -1);
  }

  /** Disconnects the clients that take nothing, and those of whom too much waits. */
  check(): void {
    const now = this.clock.monotonic();
    this.unread = new Counts();
    const held: HeldAnswer[] = [];
    for (const [response, waiting] of this.open) {
      if (response.destroyed) continue;
      const bytes = response.writableLength;
      const owner = ownerOf(response);
      if (bytes > 0) {
        this.unread.add(owner, bytes);
        held.push({ response, owner, bytes });
      }
      if (bytes === 0 || !response.socket) {
        if (waiting) this.open.set(response, undefined);
        continue;
      }
      const taken = takenFrom(response.socket);
      if (taken !== waiting?.taken) this.open.set(response, { taken, since: now });
      else if (now - waiting.since >= STALL_MS) response.destroy();
    }
    this.makeRoom(held);
  }

  /**
   * Ends the oldest answers of the user with most bytes, so that no user keeps others from answers.
   * Those that can be asked for again go first, and the last one is never ended.
   * @param held oldest first
   */
  private makeRoom(held: readonly HeldAnswer[]): void {
    const { maxUnreadBytes: most } = this.config;
    for (const { response, owner, bytes } of surplusOf(held.toSorted(repeatableFirst), most)) {
      this.unread.add(owner, -bytes);
      response.destroy();
    }
  }

  private get isOver(): boolean {
    return this.unread.total > this.config.maxUnreadBytes;
  }

  private findRefusal(response: ServerResponse): AppError | undefined {
    const owner = ownerOf(response);
    if (owner === undefined || isGone(response)) return undefined;
    const { maxRequests: most } = this.config;
    if (this.requests.of(owner) >= most) return tooManyRequests(most);
    if (this.isTooMuch(owner)) return this.tooMuchUnread();
    this.count(response, owner);
    return undefined;
  }

  private count(response: ServerResponse, owner: string): void {
    this.counted.set(response, owner);
    this.requests.add(owner, 1);
  }

  /** Nothing was changed by the request: its long answer can be asked for again. */
  private refuseUnread(response: Response): void {
    const end = response.end.bind(response) as (...rest: unknown[]) => Response;
    response.end = ((...rest: unknown[]) => {
      const bytes = Buffer.isBuffer(rest[0]) ? rest[0].length : 0;
      const owner = ownerOf(response);
      if (bytes <= EXEMPT_BYTES || response.headersSent) return end(...rest);
      if (this.isTooMuch(owner)) return sendProblem(this.tooMuchUnread(), response.req, response);
      end(...rest);
      this.unread.add(owner, response.writableLength);
      if (this.isOver) this.check();
      return response;
    }) as typeof response.end;
  }

  private isTooMuch(owner: string | undefined): boolean {
    if (!this.exceeds(owner)) return false;
    this.check();
    return this.exceeds(owner);
  }

  private exceeds(owner: string | undefined): boolean {
    return exceedsShare(this.unread, owner, this.config.maxUnreadBytes);
  }

  private tooMuchUnread(): AppError {
    return new AppError(
      'unavailable',
      'too_much_unread',
      `More bytes wait for clients that don't read than the server holds (MAX_UNREAD_BYTES=${this.config.maxUnreadBytes}, half of it for one user). Read your answers, and retry shortly.`,
    );
  }
}

function repeatableFirst(a: HeldAnswer, b: HeldAnswer): number {
  return Number(isRepeatable(b)) - Number(isRepeatable(a));
}

/** False for the answer to a request that may have changed something. */
function isRepeatable({ response }: HeldAnswer): boolean {
  return response.req.method === 'GET';
}

function tooManyRequests(most: number): AppError {
  return new AppError(
    'rate_limited',
    'too_many_requests',
    `The user has ${most} requests that are not answered yet (MAX_REQUESTS). Retry when one is.`,
    { retry_after_s: clientPauseInSeconds() },
  );
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** The user of a request; undefined without a principal, as on public routes. */
export function ownerOf({ req }: ServerResponse): string | undefined {
  const { principal } = req as Authenticated;
  return principal && JSON.stringify([principal.tenant_id, principal.user_id]);
}

/** Counts of a connection's writes that Node has only in its handle. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/**
 * Bytes that the client's side has taken, also of a write that goes on. What it sends does not
 * count, as it does for `socket.setTimeout`.
 */
function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle?: Handle | null };
  if (!handle) return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - handle.writeQueueSize;
}
