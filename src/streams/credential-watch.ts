import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Authentication } from '../auth/authentication.js';
import type { Authenticated } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/async/periodic.js';
import { isGone } from './unsent-responses.js';

/** Longest time between two checks, in milliseconds. */
const CHECK_MS = 2_000;

interface Watched {
  readonly principal: Principal;
  readonly stream: { complete(): void };
}

/** Tells open streams and other long requests when their credential is deleted or expires. */
@Injectable()
export class CredentialWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watched = new Set<Watched>();
  private readonly rounds: Periodic;

  constructor(
    private readonly authentication: Authentication,
    config: Config,
    clock: Clock,
  ) {
    this.rounds = new Periodic(clock, {
      name: 'Credentials',
      every_ms: Math.min(CHECK_MS, config.heartbeatMs),
      run: () => this.check(),
    });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  /**
   * Completes the stream once the credential of its request is no longer valid.
   * @returns a function that ends the watch
   */
  watch({ req }: ServerResponse, stream: Watched['stream']): () => void {
    const { principal } = req as Authenticated;
    if (!principal) return () => {};
    const watched = { principal, stream };
    this.watched.add(watched);
    return () => void this.watched.delete(watched);
  }

  /**
   * For a request that is still to be answered: aborts once its client is gone, or its credential
   * is no longer valid.
   */
  signalOf(response: ServerResponse): AbortSignal {
    const over = new AbortController();
    const stop = this.watch(response, { complete: () => over.abort() });
    response.once('close', () => {
      stop();
      over.abort();
    });
    if (isGone(response)) over.abort();
    return over.signal;
  }

  /** Closes the connection of an answer that is being sent once its credential is not valid. */
  cutOff(response: ServerResponse): void {
    this.signalOf(response).addEventListener('abort', () => response.destroy());
  }

  private async check(): Promise<void> {
    await Promise.all([...this.watched].map((each) => this.checkOne(each)));
  }

  private async checkOne({ principal, stream }: Watched): Promise<void> {
    try {
      if (!(await this.authentication.isValid(principal))) stream.complete();
    } catch {
      // The store is unavailable; the next check tries again.
    }
  }
}
