import { Injectable } from '@nestjs/common';
import { doneWithin } from '../kernel/async/promises.js';
import { Clock } from '../kernel/clock.js';
import { outsideTenants } from '../kernel/tenant-scope.js';
import { RequestStore } from '../persistence/request.store.js';
import type { PendingCount } from '../persistence/rows/request-rows.js';

const FRESH_MS = 15_000;
/** Timeout of the store, for which a scrape waits. */
const READ_TIMEOUT_MS = 1_000;
const MAX_COUNTED = 10_000;

/** The pending requests of all tenants, as they were a short time ago. */
@Injectable()
export class PendingRequests {
  private known: readonly PendingCount[] | undefined;
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly store: RequestStore,
    private readonly clock: Clock,
  ) {}

  /** Undefined while the store does not answer. Never rejects. */
  async counts(): Promise<readonly PendingCount[] | undefined> {
    if (this.clock.monotonic() - this.readAt < FRESH_MS) return this.known;
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    const isDone = await doneWithin(this.reading, READ_TIMEOUT_MS);
    return isDone ? this.known : undefined;
  }

  private async read(): Promise<void> {
    try {
      this.known = await outsideTenants(() => this.store.countPendingRequests(MAX_COUNTED));
    } catch {
      this.known = undefined; // the store is unavailable, which `parley_store_up` says
    }
    this.readAt = this.clock.monotonic();
  }
}
