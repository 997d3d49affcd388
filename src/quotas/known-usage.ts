import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { UsageStore } from './usage-store.js';
import type { UsedBytes } from './usage-store.js';

/** A sum is counted again after this time, in milliseconds. */
const FRESH_MS = 5000;
/** A sum that takes long to count is kept for this many times as long, and at most so long. */
const COST_FACTOR = 50;
const MAX_FRESH_MS = 60_000;
/** Beyond it, the sums that are no longer fresh are dropped. */
const MAX_SUMS = 1000;

interface Sum<T> {
  total: Promise<T>;
  /** In monotonic milliseconds. */
  fresh_until: number;
}

/** The usage of tenants as of some seconds ago, so that starts don't wait for sums. */
@Injectable()
export class KnownUsage {
  private readonly sumsOfBytes = new Map<string, Sum<UsedBytes>>();
  private readonly sumsOfTokens = new Map<string, Sum<number>>();

  constructor(
    private readonly store: UsageStore,
    private readonly clock: Clock,
  ) {}

  bytes(tenantId: string): Promise<UsedBytes> {
    return this.sum(this.sumsOfBytes, tenantId, () => this.store.countBytes(tenantId));
  }

  /** Bytes that were just added count at once, in this process. */
  addBytes(tenantId: string, { total, files }: UsedBytes): void {
    const sum = this.sumsOfBytes.get(tenantId);
    if (!sum) return;
    sum.total = sum.total.then((used) => {
      return { total: used.total + total, files: used.files + files };
    });
  }

  /** The bytes are counted again at the next look. */
  forgetBytes(tenantId: string): void {
    this.sumsOfBytes.delete(tenantId);
  }

  tokens(tenantId: string, since: string): Promise<number> {
    const key = `${since}/${tenantId}`;
    return this.sum(this.sumsOfTokens, key, () => this.store.countTokens(tenantId, since));
  }

  /** Concurrent callers share one query; one that fails is not kept. */
  private sum<T>(sums: Map<string, Sum<T>>, key: string, count: () => Promise<T>): Promise<T> {
    const began = this.clock.monotonic();
    const known = sums.get(key);
    if (known && began < known.fresh_until) return known.total;
    if (sums.size >= MAX_SUMS) dropOld(sums, began);
    const sum: Sum<T> = { total: count(), fresh_until: Infinity };
    sums.set(key, sum);
    sum.total.then(
      () => {
        const now = this.clock.monotonic();
        const paid_ms = Math.min((now - began) * COST_FACTOR, MAX_FRESH_MS);
        sum.fresh_until = now + Math.max(FRESH_MS, paid_ms);
      },
      () => sums.get(key) === sum && sums.delete(key),
    );
    return sum.total;
  }
}

function dropOld(sums: Map<string, Sum<unknown>>, now: number): void {
  for (const [key, { fresh_until }] of sums) if (fresh_until <= now) sums.delete(key);
}
