import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { LeaseStore } from '../../persistence/lease.store.js';
import { RunQueue } from '../../queue/run-queue.js';
import { CrashQuarantine } from './crash-quarantine.js';

const BATCH = 200;
const MAX_INTERVAL_MS = 5_000;
/**
 * An interaction that is still unowned this long after it was found, in milliseconds, may have been
 * lost by the queue.
 */
const OVERDUE_MS = 10_000;

/**
 * Finds interactions that should run and have no owner, at start and every few seconds, and
 * enqueues them (I3).
 */
@Injectable()
export class Sweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  /** Time when each unowned interaction was first found, in monotonic milliseconds. */
  private found: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly interactions: InteractionStore,
    private readonly leases: LeaseStore,
    private readonly queue: RunQueue,
    private readonly quarantine: CrashQuarantine,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return; // other processes run them
    const interval = Math.min(MAX_INTERVAL_MS, this.config.leaseTtlMs / 2);
    this.timer = setInterval(() => void this.sweep(), interval).unref();
    this.quarantine.subscribe(() => void this.sweep());
    void this.sweep();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    try {
      const promoted = await this.interactions.promoteQueued(this.clock.now().toISOString());
      const unowned = await this.leases.listUnowned(BATCH);
      for (const id of promoted) this.queue.enqueue(id, { priority: 'new' });
      const now = this.clock.monotonic();
      this.found = new Map(unowned.map(({ id }) => [id, this.found.get(id) ?? now]));
      this.quarantine.enqueue(unowned, (id) => now - this.found.get(id)! >= OVERDUE_MS);
    } catch {
      // The store is unavailable; the next sweep tries again.
    }
  }
}
