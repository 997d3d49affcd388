import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
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
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly chats: ChatStore,
    private readonly workspaces: Workspaces,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.remove(), INTERVAL_MS).unref();
    this.remove();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  /** In the background. */
  remove(): void {
    this.running ??= outsideTenants(() => this.removeAll())
      .catch(() => {}) // the store is unavailable; the next round goes on
      .finally(() => (this.running = undefined));
  }

  private async removeAll(): Promise<void> {
    await this.chats.removeLeftovers(this.stopping.signal);
    await this.workspaces.discardOverdue();
  }
}
