import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import { Follower } from '../event-log/follow/follower.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { Readers } from '../event-log/follow/readers.js';
import type { InteractionRow } from '../persistence/rows/store-rows.js';

/** How often the store is asked as well, in milliseconds: a frame may be lost, and what is deleted tells nobody. */
const CHECK_MS = 1_000;

/** For how long, and how often it is asked, whether somebody has yet to read the end, in milliseconds: it is on its way to them. */
const READ_LIMIT_MS = 1_000;
const READ_CHECK_MS = 20;

/** Waits for interactions to end, wherever they run. */
@Injectable()
export class WaitForEnd {
  constructor(
    private readonly bus: LiveBus,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
    private readonly readers: Readers,
    private readonly clock: Clock,
  ) {}

  /** True also when it is gone, as what is deleted has ended before; false when that takes longer than `limit_ms`. */
  async of(interactionId: string, limit_ms: number): Promise<boolean> {
    const row = await this.interactions.findInteraction(interactionId);
    if (!row || isOver(row)) return true;
    return new Promise((resolve) => {
      const finish = (ended: boolean): void => {
        clearTimeout(timer);
        clearInterval(checks);
        follower.stop();
        resolve(ended);
      };
      const check = (): void => {
        this.interactions.findInteraction(interactionId).then(
          (now) => isOver(now) && finish(true),
          () => {}, // the next check comes
        );
      };
      const timer = setTimeout(() => finish(false), limit_ms);
      const checks = setInterval(check, CHECK_MS);
      const follower = this.follow(row, (error) => (error ? check() : finish(true)));
      void follower.start().then(check);
    });
  }

  /** For one that has ended: resolves when whoever read it, on any process, has its end, or is too slow. */
  async untilRead(interactionId: string): Promise<void> {
    const deadline = this.clock.monotonic() + READ_LIMIT_MS;
    while (this.clock.monotonic() < deadline && (await this.isRead(interactionId)))
      await delay(READ_CHECK_MS);
  }

  private async isRead(interactionId: string): Promise<boolean> {
    if (this.readers.count(interactionId) > 0) return true;
    return (await this.bus.isHeardElsewhere(interactionId)) === true;
  }

  private follow({ id, last_seq }: InteractionRow, end: (error?: unknown) => void): Follower {
    return new Follower(
      { records: this.records, bus: this.bus },
      { interaction_id: id, cursor: { seq: last_seq, offsets: new Map() }, trace: false },
      { event: () => {}, flush: () => {}, drained: () => Promise.resolve(), end },
    );
  }
}

function isOver(row: InteractionRow | undefined): boolean {
  return !row || row.completed_at !== null;
}
