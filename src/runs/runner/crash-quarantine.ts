import { Injectable } from '@nestjs/common';
import type { Unowned } from '../../persistence/rows/store-rows.js';
import { RunQueue } from '../../queue/run-queue.js';

/** From so many losses in a row on, an interaction may be what takes the process down. */
export const SUSPECT_LOSSES = 2;

/**
 * Has what was lost taken up again. What may have taken the process down is taken up one at a time, and beside nothing else that was lost,
 * until it is seen to be well: so whatever takes the process down again is alone in that (DESIGN §5).
 */
@Injectable()
export class CrashQuarantine {
  /** The suspect whose turn it is. */
  private turn: string | undefined;
  private onFree: () => void = () => {};

  constructor(private readonly queue: RunQueue) {}

  /** Calls `listener` when a turn is over; then `takeUp` what is left. */
  onTurnOver(listener: () => void): void {
    this.onFree = listener;
  }

  /**
   * Enqueues what should run and nobody holds, or what of it may run now: the rest is found again when the turn is over. What is `overdue` isn't
   * left to a queue that others share: it may have lost it.
   */
  takeUp(found: readonly Unowned[], overdue: (id: string) => boolean = () => false): void {
    const next = found.find(({ losses }) => losses >= SUSPECT_LOSSES);
    if (this.turn === undefined && next) this.turn = next.id;
    for (const { id, is_lost } of found)
      if (this.turn === undefined || this.turn === id || !is_lost)
        this.queue.enqueue(id, is_lost || overdue(id) ? { affinity: 'local' } : {});
  }

  /** It has written something, or rests, or is over. */
  isWell(interactionId: string): void {
    if (this.turn !== interactionId) return;
    this.turn = undefined;
    this.onFree();
  }
}
