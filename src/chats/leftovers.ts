import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/periodic.js';
import { outsideTenants } from '../kernel/tenant-scope.js';
import { ChatStore } from '../persistence/chat.store.js';
import { Workspaces } from '../workspace/workspaces.js';

const INTERVAL_MS = 60_000;

/**
 * Removes what deleted chats and imports left in the store, and folders of deleted chats: after
 * each deletion, and regularly, for those of a process that was killed meanwhile.
 */
@Injectable()
export class Leftovers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly rounds: Periodic;

  constructor(
    private readonly chats: ChatStore,
    private readonly workspaces: Workspaces,
    clock: Clock,
  ) {
    const run = (): Promise<void> => outsideTenants(() => this.removeAll());
    this.rounds = new Periodic(clock, { name: 'Leftovers', every_ms: INTERVAL_MS, run });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
    this.remove();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds.stop();
  }

  /** In the background. */
  remove(): void {
    void this.rounds.runNow();
  }

  private async removeAll(): Promise<void> {
    await this.chats.removeLeftovers(this.stopping.signal);
    await this.workspaces.discardOverdue();
  }
}
