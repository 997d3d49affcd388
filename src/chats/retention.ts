import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AppError, messageOf } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { ChatStore } from '../persistence/chat.store.js';
import { ChatDeletion } from './chat-deletion.js';

const DAY_MS = 86_400_000;
const INTERVAL_MS = 3_600_000;
/** Before the next slice or chat, so that other work goes on meanwhile. */
const PAUSE_MS = 250;
const SLICE = 500;

/**
 * Removes the chats that were not touched for `RETENTION_DAYS`: at the start, and every hour. Each
 * process does; they may meet at a chat, which one of them removes.
 */
@Injectable()
export class Retention implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Retention.name);
  private readonly stopping = new AbortController();
  private callOff = (): void => {};
  private running = Promise.resolve();

  constructor(
    private readonly chats: ChatStore,
    private readonly deletion: ChatDeletion,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.retentionDays > 0) this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.callOff();
    this.stopping.abort();
    await this.running;
  }

  private start(): void {
    this.callOff = this.clock.after(INTERVAL_MS, () => this.start());
    this.running = this.running.then(() => this.sweep());
  }

  /** Resolves after all chats; a fault ends the round, and the next one begins anew. */
  private async sweep(): Promise<void> {
    try {
      const removed = await this.removeUntouched();
      if (removed > 0) this.logger.log(`Removed ${removed} chats by RETENTION_DAYS.`);
    } catch (err) {
      if (!this.stopping.signal.aborted)
        this.logger.debug({ message: 'A round of RETENTION_DAYS was not completed', err });
    }
  }

  private async removeUntouched(): Promise<number> {
    const { signal } = this.stopping;
    const since = this.clock.now().getTime() - this.config.retentionDays * DAY_MS;
    const before = new Date(since).toISOString();
    let removed = 0;
    for (let after: string | undefined, isLast = false; !isLast;) {
      const slice = { before, limit: SLICE, ...(after !== undefined && { after }) };
      const { uids, next } = await this.chats.listUntouched(slice);
      for (const uid of uids) {
        if (await this.remove(uid, before)) removed++;
        await this.clock.sleep(PAUSE_MS, signal);
      }
      after = next;
      isLast = next === undefined;
      if (!isLast) await this.clock.sleep(PAUSE_MS, signal);
    }
    return removed;
  }

  /** False also for a chat that can't be removed: the round goes on. An outage ends the round. */
  private async remove(uid: string, before: string): Promise<boolean> {
    try {
      return await this.deletion.deleteUntouched(uid, before);
    } catch (err) {
      if (this.stopping.signal.aborted) throw err;
      if (err instanceof AppError && err.kind === 'unavailable') throw err;
      if (err instanceof AppError && err.code === 'chat_not_found') return false; // gone meanwhile
      const message = `RETENTION_DAYS: the chat ${uid} can't be removed: ${messageOf(err)}`;
      this.logger.warn(`${message} It is tried again in an hour.`);
      return false;
    }
  }
}
