import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { UsageStore } from './usage-store.js';

/** A sum is counted again after this time, in milliseconds. */
const FRESH_MS = 5000;
/** A sum that takes long to count is kept for this many times as long, and at most so long. */
const COST_FACTOR = 50;
const MAX_FRESH_MS = 60_000;
/** Beyond it, the sums that are no longer fresh are dropped. */
const MAX_SUMS = 1000;

interface Sum {
  total: Promise<number>;
  /** In monotonic milliseconds. */
  fresh_until: number;
}

/** The usage of tenants as of some seconds ago, so that starts don't wait for sums. */
@Injectable()
export class KnownUsage {
  private readonly sums = new Map<string, Sum>();

  constructor(
    private readonly store: UsageStore,
    private readonly clock: Clock,
  ) {}

  bytes(tenantId: string): Promise<number> {
    return this.sum(`bytes/${tenantId}`, () => this.store.countBytes(tenantId));
  }

  /** Bytes that were just added count at once, in this process. */
  addBytes(tenantId: string, bytes: number): void {
    const sum = this.sums.get(`bytes/${tenantId}`);
    if (sum) sum.total = sum.total.then((total) => total + bytes);
  }

  tokens(tenantId: string, since: string): Promise<number> {
    return this.sum(`${since}/${tenantId}`, () => this.store.countTokens(tenantId, since));
  }

  /** Concurrent callers share one query; one that fails is not kept. */
  private sum(key: string, count: () => Promise<number>): Promise<number> {
    const began = this.clock.monotonic();
    const known = this.sums.get(key);
    if (known && began < known.fresh_until) return known.total;
    if (this.sums.size >= MAX_SUMS) this.dropOld(began);
    const sum: Sum = { total: count(), fresh_until: Infinity };
    this.sums.set(key, sum);
    sum.total.then(
      () => {
        const now = this.clock.monotonic();
        const paid_ms = Math.min((now - began) * COST_FACTOR, MAX_FRESH_MS);
        sum.fresh_until = now + Math.max(FRESH_MS, paid_ms);
      },
      () => this.sums.delete(key),
    );
    return sum.total;
  }

  private dropOld(now: number): void {
    for (const [key, { fresh_until }] of this.sums) if (fresh_until <= now) this.sums.delete(key);
  }
}
