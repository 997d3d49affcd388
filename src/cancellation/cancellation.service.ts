import { Injectable } from '@nestjs/common';
import { InteractionStore } from '../persistence/interaction.store.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import type { InteractionRow } from '../persistence/rows/store-rows.js';
import { isFinal } from '../protocol/interaction.js';
import { RunQueue } from '../queue/run-queue.js';

/** Asks for an interaction to be stopped. The flag on its row is what counts; whoever runs it is told to look. */
@Injectable()
export class CancellationService {
  constructor(
    private readonly interactions: InteractionStore,
    private readonly bus: LiveBus,
    private readonly queue: RunQueue,
  ) {}

  /** Answers the row as it is now; undefined if there is none. Nobody runs it? Then it is enqueued, to be ended by a run that only does that. */
  async request(interactionId: string, reason: string): Promise<InteractionRow | undefined> {
    const row = await this.interactions.requestCancel(interactionId, reason);
    if (!row || isFinal(row.status)) return row;
    this.bus.wake(interactionId);
    this.queue.enqueue(interactionId);
    return row;
  }
}
