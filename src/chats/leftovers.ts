import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Spill } from '../event-log/spill/spill.js';
import { FilePurge } from '../files/file-purge.js';
import { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/async/periodic.js';
import { outsideTenants } from '../kernel/tenant-scope.js';
import { ChatStore } from '../persistence/chat.store.js';
import { ConversationCache } from '../persistence/conversation-cache/conversation-cache.js';
import { Workspaces } from '../workspace/workspaces.js';

const INTERVAL_MS = 60_000;

/**
 * Removes what deleted chats and imports left: all of it after each deletion, and regularly, for
 * those of a process that was killed meanwhile, what is in the store and the folders of chats.
 */
@Injectable()
export class Leftovers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly rounds: Periodic;

  constructor(
    private readonly chats: ChatStore,
    private readonly workspaces: Workspaces,
    private readonly conversations: ConversationCache,
    private readonly files: FilePurge,
    private readonly spill: Spill,
    clock: Clock,
  ) {
    const run = (): Promise<void> => outsideTenants(() => this.removeAll());
    this.rounds = new Periodic(clock, { name: 'Leftovers', every_ms: INTERVAL_MS, run });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
    void this.rounds.runNow();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds.stop();
  }

  /** After the deletion of a chat. Rows and files are removed in the background. */
  async removeOf(chatUid: string): Promise<void> {
    void this.rounds.runNow();
    this.files.request();
    await this.conversations.forget(chatUid);
    await this.workspaces.discard(chatUid);
    await this.spill.removeDeleted().catch(() => {}); // tried again within an hour
  }

  private async removeAll(): Promise<void> {
    await this.chats.removeLeftovers(this.stopping.signal);
    await this.workspaces.discardOverdue();
  }
}
