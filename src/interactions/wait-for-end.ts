import { Injectable } from '@nestjs/common';
import { InteractionStore } from '../log/interaction-store.js';
import { Follower } from '../log/follower.js';
import { LiveBus } from '../log/live-bus.js';

/** Waits for interactions to end, wherever they run. */
@Injectable()
export class WaitForEnd {
  constructor(
    private readonly bus: LiveBus,
    private readonly store: InteractionStore,
  ) {}

  /** False when that takes longer than `limit_ms`. */
  async of(interactionId: string, limit_ms: number): Promise<boolean> {
    const row = await this.store.findInteraction(interactionId);
    if (!row || row.completed_at !== null) return true;
    return new Promise((resolve) => {
      const finish = (ended: boolean): void => {
        clearTimeout(timer);
        follower.stop();
        resolve(ended);
      };
      const timer = setTimeout(() => finish(false), limit_ms);
      const follower = new Follower(
        { store: this.store, bus: this.bus },
        {
          interaction_id: interactionId,
          cursor: { seq: row.last_seq, offsets: new Map() },
          trace: false,
        },
        {
          event: () => {},
          flush: () => {},
          drained: () => Promise.resolve(),
          end: (error) => finish(error === undefined),
        },
      );
      void follower.start();
    });
  }
}
