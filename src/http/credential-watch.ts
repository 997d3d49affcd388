import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { invalidCredential } from '../auth/auth-errors.js';
import { Authentication } from '../auth/authentication.js';
import type { Authenticated } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';

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
  private timer: NodeJS.Timeout | undefined;
  private isChecking = false;

  constructor(
    private readonly authentication: Authentication,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    const every_ms = Math.min(CHECK_MS, this.config.heartbeatMs);
    this.timer = setInterval(() => void this.check(), every_ms).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
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

  /** Aborts once the credential of a request that is still to be answered is no longer valid. */
  signalOf(response: ServerResponse): AbortSignal {
    const revoked = new AbortController();
    const stop = this.watch(response, { complete: () => revoked.abort() });
    response.once('close', stop);
    return revoked.signal;
  }

  /** Closes the connection of an answer that is being sent once its credential is not valid. */
  cutOff(response: ServerResponse): void {
    this.signalOf(response).addEventListener('abort', () => response.destroy());
  }

  /**
   * For what took long: the credential may have been deleted, or have expired, meanwhile.
   * @throws AppError `invalid_credential` (401), `store_unavailable` (503)
   */
  async requireValid(principal: Principal): Promise<void> {
    if (await this.authentication.isValid(principal)) return;
    throw invalidCredential('It was deleted, or has expired, during the request.');
  }

  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    await Promise.all([...this.watched].map((each) => this.checkOne(each)));
    this.isChecking = false;
  }

  private async checkOne({ principal, stream }: Watched): Promise<void> {
    try {
      if (!(await this.authentication.isValid(principal))) stream.complete();
    } catch {
      // The store is unavailable; the next check tries again.
    }
  }
}
