import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import type { Unowned } from '../../persistence/rows/store-rows.js';
import { RunQueue } from '../../queue/run-queue.js';

/**
 * After this many consecutive losses, an interaction may be a poison message: one that crashes the
 * process that runs it.
 */
export const QUARANTINE_LOSSES = 2;
/** After this many consecutive losses the interaction fails, code `crash_loop`. */
export const MAX_LOSSES = 3;

/**
 * Retries interactions whose run was lost. A possible poison message is quarantined: it runs while
 * no other lost interaction does, one at a time, until its run is healthy. So if the process
 * crashes again, this interaction crashed it.
 */
@Injectable()
export class CrashQuarantine {
  private quarantined: string | undefined;
  private onRelease: () => void = () => {};

  constructor(private readonly queue: RunQueue) {}

  /**
   * `listener` is called when the quarantine becomes free, to look for waiting interactions again.
   */
  subscribe(listener: () => void): void {
    this.onRelease = listener;
  }

  /**
   * Enqueues the unowned interactions that may run now. Overdue ones are kept in this process: a
   * shared queue may have lost them.
   */
  enqueue(unowned: readonly Unowned[], isOverdue: (id: string) => boolean = () => false): void {
    this.quarantined ??= unowned.find(({ losses }) => losses >= QUARANTINE_LOSSES)?.id;
    for (const { id, is_lost } of unowned)
      if (this.quarantined === undefined || this.quarantined === id || !is_lost)
        this.queue.enqueue(id, is_lost || isOverdue(id) ? { affinity: 'local' } : {});
  }

  /** The run of the interaction is healthy, or over. */
  release(interactionId: string): void {
    if (this.quarantined !== interactionId) return;
    this.quarantined = undefined;
    this.onRelease();
  }
}

export class CrashLoop extends AppError {
  constructor(losses: number) {
    super(
      'internal',
      'crash_loop',
      `The server ended unexpectedly ${losses} times in a row while it ran this interaction, which was given up so that it does not happen again. Something that the interaction does may crash the server, such as a tool, or take more memory than there is; the server's log may say more. Edit the message to try again.`,
    );
  }
}
