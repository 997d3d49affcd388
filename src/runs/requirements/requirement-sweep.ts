import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { Periodic } from '../../kernel/async/periodic.js';
import { RunStores } from '../../persistence/stores.js';
import { RunQueue } from '../../queue/run-queue.js';
import { findMissing } from './find-missing.js';
import type { Requirement } from './find-missing.js';
import { Inventory } from './inventory.js';

const INTERVAL_MS = 5_000;
const BATCH = 1_000;

/**
 * Resumes parked interactions as soon as this process has what they wait for (I3). Each requirement
 * is looked up once a round, however many wait for it.
 */
@Injectable()
export class RequirementSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds: Periodic;

  constructor(
    private readonly stores: RunStores,
    private readonly queue: RunQueue,
    private readonly inventory: Inventory,
    private readonly config: Config,
    clock: Clock,
  ) {
    this.rounds = new Periodic(clock, {
      name: 'Missing requirements',
      every_ms: INTERVAL_MS,
      run: () => this.sweep(),
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return; // other processes run them
    this.rounds.start();
    void this.rounds.runNow();
  }

  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  private async sweep(): Promise<void> {
    const { leases } = this.stores;
    for (let after: string | undefined, isLast = false; !isLast;) {
      const awaited = await leases.listAwaited(BATCH, after);
      for (const requirement of awaited)
        if ((await findMissing(this.inventory, requirement as Requirement)) === undefined)
          await this.resume(requirement);
      after = awaited.at(-1);
      isLast = awaited.length < BATCH;
    }
  }

  /** Here: another process may lack it. */
  private async resume(requirement: string): Promise<void> {
    for (let woken: readonly string[] | undefined; !woken || woken.length === BATCH;) {
      woken = await this.stores.leases.wakeParked(requirement, BATCH);
      for (const id of woken) this.queue.enqueue(id, { affinity: 'local' });
    }
  }
}
