import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../auth/principal.js';
import { DisconnectWatch } from '../../cancellation/disconnect-watch.js';
import { LiveBus } from '../../event-log/live/live-bus.js';
import { RunWaker } from '../../event-log/live/run-waker.js';
import { Clock } from '../../kernel/clock.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { LeaseTerms } from '../../persistence/rows/lease-rows.js';
import type { UsedKey } from '../../persistence/rows/start-rows.js';
import { RunQueue } from '../../queue/run-queue.js';
import { LeaseKeeper } from '../../runs/runner/lease-keeper.js';
import { Runner } from '../../runs/runner/runner.js';
import type { Accepted } from './start-errors.js';

/** For a start that this process runs at once. */
export interface Claim {
  readonly lease: LeaseTerms;
  /** Time before the lease is requested: `boottime` of the clock. */
  readonly leased_at: number;
}

/** Has interactions run once they are saved, now or when their turn comes. */
@Injectable()
export class RunDispatcher {
  constructor(
    private readonly interactions: InteractionStore,
    private readonly queue: RunQueue,
    private readonly runner: Runner,
    private readonly leases: LeaseKeeper,
    private readonly waker: RunWaker,
    private readonly disconnects: DisconnectWatch,
    private readonly bus: LiveBus,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Call right before the interaction is saved. Undefined: any process may run it. */
  claim(): Claim | undefined {
    if (!this.queue.isImmediate) return undefined;
    return { lease: this.leases.terms, leased_at: this.clock.boottime() };
  }

  /** @param claim with which the interaction was saved */
  async dispatch(
    caller: Principal,
    accepted: Exclude<Accepted, UsedKey>,
    claim: Claim | undefined,
  ): Promise<void> {
    const row = accepted.interaction;
    this.noteChange(row);
    if (row.settings.on_disconnect === 'cancel') this.disconnects.expectReader(row.id);
    if (accepted.outcome === 'queued') await this.afterQueueing(caller, row, accepted.interrupted);
    else if (claim) this.runner.runClaimed(accepted, claim.leased_at);
    else this.queue.enqueue(row.id, { priority: 'new' });
  }

  /**
   * Wakes the run that it interrupts. The interaction that it waits for may have ended meanwhile.
   */
  private async afterQueueing(
    caller: Principal,
    row: InteractionRow,
    interrupted: string | null,
  ): Promise<void> {
    if (interrupted !== null) {
      await this.audit.note(caller, 'interaction.cancelled', {
        ...{ chat_id: row.chat_id, interaction_id: interrupted },
        detail: { interrupted_by: row.id },
      });
      this.waker.wake(interrupted);
    }
    const at = this.clock.now().toISOString();
    const promoted = await this.interactions.promoteQueued(at, row.chat_uid);
    for (const id of promoted) this.queue.enqueue(id, { priority: 'new' });
    if (promoted.length > 0) this.noteChange(row);
  }

  private noteChange({ chat_uid, tenant_id }: InteractionRow): void {
    this.bus.noteChange({ chat_uid, tenant_id });
  }
}
