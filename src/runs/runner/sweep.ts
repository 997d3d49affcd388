import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { LeaseStore } from '../../persistence/lease.store.js';
import { RunQueue } from '../../queue/run-queue.js';
import { CrashQuarantine } from './crash-quarantine.js';

const BATCH = 1_000;
const MAX_INTERVAL_MS = 5_000;

/**
 * Finds interactions that should run and have no owner, at start and every few seconds, and
 * enqueues them (I3).
 */
@Injectable()
export class Sweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  /** Cancels the sweep at the end of the next pause. */
  private cancelPause = (): void => {};
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

  /** No `Periodic`: a sweep that waits on a lost connection does not hold back the next one. */
  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return; // other processes run them
    const interval = Math.min(MAX_INTERVAL_MS, this.config.leaseTtlMs / 2);
    this.timer = setInterval(() => void this.sweep(), interval).unref();
    this.quarantine.subscribe(() => void this.sweep());
    void this.sweep();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.cancelPause();
  }

  private async sweep(): Promise<void> {
    try {
      const promoted = await this.interactions.promoteQueued(this.clock.now().toISOString());
      const unowned = await this.leases.listUnowned(BATCH);
      for (const id of promoted) this.queue.enqueue(id, { priority: 'new' });
      const now = this.clock.monotonic();
      this.found = new Map(unowned.map(({ id }) => [id, this.found.get(id) ?? now]));
      const pause_ms = this.quarantine.enqueue(
        unowned.map((each) => ({ ...each, found_ms: now - this.found.get(each.id)! })),
      );
      this.cancelPause();
      if (pause_ms !== undefined)
        this.cancelPause = this.clock.after(pause_ms, () => void this.sweep());
    } catch {
      // The store is unavailable; the next sweep tries again.
    }
  }
}
