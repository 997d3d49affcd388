import { Logger } from '@nestjs/common';
import { createLocalJWKSet, errors } from 'jose';
import type { JSONWebKeySet, JWTVerifyGetKey, LocalJWKSet } from 'jose';
import type { Clock } from '../../kernel/clock.js';
import { AppError } from '../../kernel/app-error.js';
import { readText, SocketFetch } from '../../net/socket-fetch.js';
import type { SocketResponse } from '../../net/socket-response.js';

/** Keys are fetched again after this time, in milliseconds. */
const MAX_AGE_MS = 600_000;
/** Old keys are used for this time if no newer ones can be fetched, in milliseconds. */
const STALE_IF_ERROR_MS = 86_400_000;
/** After a failed request, old keys are used for this time while others are fetched. */
const OUTAGE_MS = 60_000;
/** Least time between two requests for unknown key ids, in milliseconds. */
const UNKNOWN_KEY_PAUSE_MS = 10_000;
/** Least time after a failed request, in milliseconds. */
const RETRY_PAUSE_MS = 1_000;
/** Least time between two lines of the log about outages, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;
const TIMEOUT_MS = 5_000;
/** Maximum size of the key set, in bytes. */
const MAX_BYTES = 262_144;

type KeyRequest = () => Promise<JSONWebKeySet>;

/**
 * The public keys of an issuer: cached, fetched again when they are old and when a
 * token names an unknown one. While the issuer does not answer, the known ones are used for a day.
 */
export class KeySet {
  private keys: LocalJWKSet | undefined;
  private fetchedAt = -Infinity;
  private failedAt = -Infinity;
  private askedAt = -Infinity;
  private loggedAt = -Infinity;
  private away: Date | undefined;
  private fetching: Promise<LocalJWKSet> | undefined;
  private readonly logger = new Logger('Auth');

  constructor(
    private readonly request: KeyRequest,
    private readonly clock: Clock,
  ) {}

  /** Time since which the issuer does not answer; undefined while it does. */
  get awaySince(): Date | undefined {
    return this.away;
  }

  /**
   * For `jwtVerify`.
   * @throws AppError `issuer_unavailable` (503)
   * @throws JWKSNoMatchingKey if there is no such key
   */
  readonly getKey: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.usable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (this.mayAsk()) return (await this.fetch())(header, token);
      throw this.away ? unavailable() : error; // it may be new
    }
  };

  /**
   * Waits for newer keys than old ones, so that a withdrawn key is not accepted, but not during an
   * outage.
   */
  private usable(): LocalJWKSet | Promise<LocalJWKSet> {
    const { keys } = this;
    const now = this.clock.monotonic();
    const age_ms = now - this.fetchedAt;
    if (keys && age_ms < MAX_AGE_MS) return keys;
    const isOutage = now - this.failedAt < OUTAGE_MS;
    const fetching = this.fetch();
    if (!keys || age_ms >= STALE_IF_ERROR_MS) return fetching;
    const newest = fetching.catch(() => keys);
    return isOutage ? keys : newest;
  }

  /** Made-up key ids do not become requests to the issuer. */
  private mayAsk(): boolean {
    const now = this.clock.monotonic();
    if (now - this.askedAt < UNKNOWN_KEY_PAUSE_MS) return false;
    this.askedAt = now;
    return true;
  }

  private fetch(): Promise<LocalJWKSet> {
    this.fetching ??= this.load().finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private async load(): Promise<LocalJWKSet> {
    if (this.clock.monotonic() - this.failedAt < RETRY_PAUSE_MS) throw unavailable();
    try {
      const keys = createLocalJWKSet(await this.request());
      this.fetchedAt = this.clock.monotonic();
      this.keys = keys;
      this.away = undefined;
      return keys;
    } catch (error) {
      this.failedAt = this.clock.monotonic();
      this.noteOutage(error);
      throw unavailable(error);
    }
  }

  /** Once for each outage. */
  private noteOutage(err: unknown): void {
    const isNew = this.away === undefined;
    this.away ??= this.clock.now();
    if (!isNew || this.failedAt - this.loggedAt < LOG_INTERVAL_MS) return;
    this.loggedAt = this.failedAt;
    const message =
      'The keys of the token issuer are unavailable (JWT_JWKS_URL). Known keys are used for a day, tokens of others are refused.';
    this.logger.warn({ message, err });
  }
}

/** Requests the keys at a URL. */
export function keyRequest(url: string, proxyUrl: string | undefined): KeyRequest {
  const { fetch } = new SocketFetch({ keepAlive: false, ...(proxyUrl && { proxyUrl }) });
  return async () => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const headers = { accept: 'application/json' };
      return await readKeys((await fetch(url, { signal, headers })) as SocketResponse);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  };
}

async function readKeys({ ok, status, incoming }: SocketResponse): Promise<JSONWebKeySet> {
  if (!ok) throw new Error(`The issuer answered ${status}`);
  const text = await readText(incoming, MAX_BYTES);
  if (Buffer.byteLength(text) >= MAX_BYTES)
    throw new Error(`The key set is larger than ${MAX_BYTES} bytes`);
  return JSON.parse(text) as JSONWebKeySet;
}

function unavailable(cause?: unknown): AppError {
  return new AppError(
    'unavailable',
    'issuer_unavailable',
    'The keys of the token issuer are unavailable (JWT_JWKS_URL). Retry shortly.',
    { cause },
  );
}
