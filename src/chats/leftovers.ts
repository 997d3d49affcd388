import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { ChatStore } from '../persistence/chat.store.js';

const INTERVAL_MS = 60_000;

/**
 * Has the store remove what deleted chats and imports left: after each deletion, and regularly what
 * a process left that was killed meanwhile.
 */
@Injectable()
export class Leftovers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly chats: ChatStore) {}

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
    this.running ??= this.chats
      .removeLeftovers(this.stopping.signal)
      .catch(() => {}) // the store is unavailable; the next round goes on
      .finally(() => (this.running = undefined));
  }
}
