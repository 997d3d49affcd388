import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { DisconnectWatch } from '../../cancellation/disconnect-watch.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { Periodic } from '../../kernel/async/periodic.js';
import { LeaseKeeper } from './lease-keeper.js';

/**
 * Checks every `DISCONNECT_GRACE_MS` whether the runs of this process still have readers, because
 * the process that knew that the last one left may have been killed. With Redis only: without it,
 * readers of other processes are unknown.
 */
@Injectable()
export class AbandonedRuns implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds: Periodic;

  constructor(
    private readonly leases: LeaseKeeper,
    private readonly disconnects: DisconnectWatch,
    private readonly config: Config,
    clock: Clock,
  ) {
    this.rounds = new Periodic(clock, {
      name: 'Abandoned runs',
      every_ms: config.disconnectGraceMs,
      run: () => this.check(),
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.redisUrl) this.rounds.start();
  }

  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  private check(): void {
    for (const { run } of this.leases.held()) void this.disconnects.check(run.interaction);
  }
}
