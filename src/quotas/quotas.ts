import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import type { QuotaExceeded, StartQuota } from '../persistence/rows/start-rows.js';
import { Counts } from '../kernel/counts.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { KnownUsage } from './known-usage.js';
import { ReservedBytes } from './reserved-bytes.js';
import type { UsedBytes } from './usage-store.js';

export const QUOTAS = [
  'QUOTA_RUNS',
  'QUOTA_STARTS_PER_MINUTE',
  'QUOTA_TOKENS_PER_DAY',
  'QUOTA_BYTES',
] as const;
export type Quota = (typeof QUOTAS)[number];

export interface QuotaUse {
  readonly quota: Quota;
  readonly limit: number;
  /** Counted some seconds ago; null if it is counted at each start only. */
  readonly used: number | null;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Until then a person may have deleted chats. */
const BYTES_RETRY_MS = 3_600_000;

/** The quotas of each tenant: docs/operations.md. */
@Injectable()
export class Quotas {
  /** Bytes that are being added, by tenant. */
  private readonly reserved = new Counts();

  constructor(
    private readonly config: Config,
    private readonly known: KnownUsage,
    private readonly telemetry: Telemetry,
    private readonly clock: Clock,
  ) {}

  /** The quotas that are set, and what the tenant uses of them. */
  async list(tenantId: string): Promise<QuotaUse[]> {
    const { quotaRuns, quotaStartsPerMinute, quotaTokensPerDay, quotaBytes } = this.config;
    const [tokens, bytes] = await Promise.all([
      quotaTokensPerDay > 0 ? this.tokensOfToday(tenantId) : 0,
      quotaBytes > 0 ? this.usedBytes(tenantId) : 0,
    ]);
    const all: readonly QuotaUse[] = [
      { quota: 'QUOTA_RUNS', limit: quotaRuns, used: null },
      { quota: 'QUOTA_STARTS_PER_MINUTE', limit: quotaStartsPerMinute, used: null },
      { quota: 'QUOTA_TOKENS_PER_DAY', limit: quotaTokensPerDay, used: tokens },
      { quota: 'QUOTA_BYTES', limit: quotaBytes, used: bytes },
    ];
    return all.filter(({ limit }) => limit > 0);
  }

  /**
   * Checks the quotas of tokens and bytes, and returns those that the store checks in the
   * transaction of the start.
   * @throws AppError `quota_exceeded` (429)
   */
  async requireStart(tenantId: string): Promise<{ readonly quota?: StartQuota }> {
    await this.requireTokens(tenantId);
    await this.requireBytes(tenantId);
    const { quotaRuns: runs, quotaStartsPerMinute: limit } = this.config;
    if (runs === 0 && limit === 0) return {};
    const since = new Date(this.now - MINUTE_MS).toISOString();
    return { quota: { ...(runs > 0 && { runs }), ...(limit > 0 && { starts: { limit, since } }) } };
  }

  /**
   * @param adding bytes that are about to be added
   * @throws AppError `quota_exceeded` (429)
   */
  async requireBytes(tenantId: string, adding = 0): Promise<void> {
    if (this.config.quotaBytes === 0) return;
    this.checkBytes(tenantId, await this.known.bytes(tenantId), adding);
  }

  /**
   * Reserves room for bytes that are being added, so that they count before they are saved.
   * @param bytes as far as their number is known
   * @throws AppError `quota_exceeded` (429)
   */
  async reserve(tenantId: string, bytes = 0): Promise<ReservedBytes> {
    const reservation = new ReservedBytes({
      take: (more) => this.takeBytes(tenantId, more),
      giveBack: (taken) => this.reserved.add(tenantId, -taken),
    });
    await reservation.grow(bytes);
    return reservation;
  }

  /**
   * Bytes that all files of a tenant may have, for the store, which knows those of other processes;
   * undefined: any number.
   */
  async roomForFiles(tenantId: string): Promise<number | undefined> {
    const limit = this.config.quotaBytes;
    if (limit === 0) return undefined;
    const { total, files } = await this.known.bytes(tenantId);
    return limit - (total - files);
  }

  /** The error of a file for which the store has found no room. */
  noRoom(tenantId: string): AppError {
    this.known.forgetBytes(tenantId);
    return this.bytesExceeded('With other files that were added meanwhile, this is too much.');
  }

  /** So that bytes that were just saved count at once. */
  addBytes(tenantId: string, bytes: number): void {
    this.known.addBytes(tenantId, { total: bytes, files: 0 });
  }

  addFileBytes(tenantId: string, bytes: number): void {
    this.known.addBytes(tenantId, { total: bytes, files: bytes });
  }

  /**
   * The outcome of a start in the store, unless that found a quota exceeded.
   * @throws AppError `quota_exceeded` (429)
   */
  requireWithin<T extends { readonly outcome: string }>(
    outcome: T | QuotaExceeded,
  ): Exclude<T, QuotaExceeded> {
    if (isExceeded(outcome)) throw this.exceeded(outcome);
    return outcome as Exclude<T, QuotaExceeded>;
  }

  private exceeded({ quota, oldest }: QuotaExceeded): AppError {
    switch (quota) {
      case 'QUOTA_RUNS':
        return this.refuse(
          quota,
          `${this.config.quotaRuns} interactions of your tenant are running or queued. Retry when one has ended, or cancel one.`,
          SECOND_MS,
        );
      case 'QUOTA_STARTS_PER_MINUTE':
        return this.refuse(
          quota,
          `Your tenant has started ${this.config.quotaStartsPerMinute} interactions within a minute. Retry later.`,
          oldest === null ? SECOND_MS : Date.parse(oldest) + MINUTE_MS - this.now,
        );
    }
  }

  private async requireTokens(tenantId: string): Promise<void> {
    const limit = this.config.quotaTokensPerDay;
    if (limit === 0) return;
    if ((await this.tokensOfToday(tenantId)) < limit) return;
    throw this.refuse(
      'QUOTA_TOKENS_PER_DAY',
      `Your tenant has used its ${limit} tokens of today. Retry tomorrow: a day begins at 00:00 UTC.`,
      DAY_MS - (this.now % DAY_MS),
    );
  }

  private tokensOfToday(tenantId: string): Promise<number> {
    const { now } = this;
    return this.known.tokens(tenantId, new Date(now - (now % DAY_MS)).toISOString());
  }

  private async usedBytes(tenantId: string): Promise<number> {
    const { total } = await this.known.bytes(tenantId);
    return total + this.reserved.of(tenantId);
  }

  /** Nothing may happen between the check and the reservation. */
  private async takeBytes(tenantId: string, bytes: number): Promise<void> {
    if (this.config.quotaBytes > 0)
      this.checkBytes(tenantId, await this.known.bytes(tenantId), bytes);
    this.reserved.add(tenantId, bytes);
  }

  private checkBytes(tenantId: string, { total }: UsedBytes, adding: number): void {
    const limit = this.config.quotaBytes;
    const used = total + this.reserved.of(tenantId);
    if (used < limit && used + adding <= limit) return;
    throw this.bytesExceeded(
      `Your tenant uses ${used} of its ${limit} bytes${adding > 0 ? `, and this would add ${adding}` : ''}.`,
    );
  }

  private bytesExceeded(why: string): AppError {
    const remedy =
      'Delete chats and files that you no longer need; the space is free some seconds later.';
    return this.refuse('QUOTA_BYTES', `${why} ${remedy}`, BYTES_RETRY_MS);
  }

  private refuse(quota: Quota, message: string, retry_after_ms: number): AppError {
    this.telemetry.emit('quota_refused', { quota });
    const retry_after_s = Math.max(1, Math.ceil(retry_after_ms / SECOND_MS));
    return new AppError('rate_limited', 'quota_exceeded', message, {
      extra: { quota },
      retry_after_s,
    });
  }

  private get now(): number {
    return this.clock.now().getTime();
  }
}

function isExceeded(outcome: { readonly outcome: string }): outcome is QuotaExceeded {
  return outcome.outcome === 'quota_exceeded';
}
