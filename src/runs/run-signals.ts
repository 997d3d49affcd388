import { ANY_TENANT } from '../persistence/any-tenant.js';
import { DELETED } from '../agents/interventions/intervention-view.js';
import { listAllRequests } from '../approvals/list-all-requests.js';
import type { LeaseState } from '../persistence/rows/lease-rows.js';
import type { RunSlot } from '../queue/run-queue.js';
import type { RunStop } from './scope/run-stop.js';
import type { RunScope } from './scope/run-scope.js';

type RenewedState = Pick<LeaseState, 'cancel_reason' | 'cancelled_by' | 'signals'>;

interface RunSignalsOptions {
  readonly run: RunScope;
  readonly stop: RunStop;
  readonly slot: RunSlot;
}

/**
 * Delivers external events of an interaction to its run: settled requests, interventions,
 * cancellation, and what the server lacked. Each increments `interactions.signals` in its own
 * transaction; the run knows the number up to which it has taken them in.
 *
 *     decision, intervention, cancel, requirement ── one transaction, signals + 1
 *       ├─ LiveBus.wake ─────▶ Runner ─▶ wake()             the run is in this process's memory
 *       ├─ lease renewal ────▶ LeaseKeeper ─▶ renewed()     in case the wake was lost
 *       └─ RunQueue.enqueue ─▶ Runner ─▶ new Run            the run is parked
 *
 *     wake(), renewed() ─▶ the row
 *       ├─ cancel_reason ────▶ RunStop.cancel
 *       └─ signals are new ──▶ slot.reclaim ─▶ takeRequests      ─▶ PendingRequests.resolve
 *                                          └▶ takeInterventions ─▶ Interventions
 *
 *     park() releases the lease only if no signal is unknown, in one statement; otherwise it wakes.
 */
export class RunSignals {
  /** `interactions.signals` as far as it was taken in. */
  private known: number;
  private looking: Promise<void> | undefined;
  private shouldLook = false;

  constructor(private readonly options: RunSignalsOptions) {
    this.known = options.run.interaction.signals;
  }

  /**
   * Reads the row, and takes in new signals. Never rejects: if the store is unavailable, the next
   * renewal wakes again.
   */
  async wake(): Promise<void> {
    if (this.options.stop.isRequested) return;
    this.shouldLook = true;
    await (this.looking ??= this.look()).catch(() => {});
  }

  /** Compares the row, as read by a lease renewal. */
  renewed({ cancel_reason, cancelled_by, signals }: RenewedState): void {
    if (cancel_reason !== null) this.options.stop.cancel(cancel_reason, cancelled_by);
    else if (signals !== this.known) void this.wake();
  }

  /** Takes in the requests of the interaction as they are settled. */
  async takeRequests(): Promise<void> {
    const { services, interaction, requests } = this.options.run;
    for await (const row of listAllRequests(services.requests, {
      viewer: ANY_TENANT,
      interaction_id: interaction.id,
    }))
      requests.resolve(row);
  }

  /**
   * Takes in the interventions of people into the agents. Deleting the root cancels the
   * interaction.
   */
  async takeInterventions(): Promise<void> {
    const { run, stop } = this.options;
    const { services, interaction, interventions, openWork } = run;
    interventions.add(
      await services.interventions.listInterventions(interaction.id),
      openWork.takenIn,
    );
    if (stop.isRequested) return;
    const deletion = interventions.findDelete(openWork.rootAgentId);
    if (!deletion) return run.removeDeletedAgents();
    const { created_by } = deletion;
    const row = await services.interactions.requestCancel(interaction, DELETED, created_by);
    if (row?.cancel_reason) stop.cancel(row.cancel_reason, row.cancelled_by);
    else stop.cancel(DELETED, created_by);
  }

  /** Releases the lease and stops the run, unless it has work to do or a signal is unknown. */
  async park(): Promise<boolean> {
    const { journal, requirements } = this.options.run;
    const isReplaying = journal.hasUndelivered && !requirements.isBeforeAgents;
    if (this.options.stop.isRequested || isReplaying) return false;
    const attempt = this.tryToPark();
    requirements.parking = attempt;
    const isParked = await attempt;
    if (!isParked) await this.wake();
    return isParked;
  }

  private async tryToPark(): Promise<boolean> {
    const { run, stop } = this.options;
    const { id: interaction_id, epoch } = run.interaction;
    const { awaited: waits_for } = run.requirements;
    const missing = waits_for && { waits_for, status: run.requests.status };
    const lease = { interaction_id, epoch, signals: this.known, missing };
    const isParked = await run.services.leases.park(lease).catch(() => false);
    if (isParked) stop.request({ kind: 'parked' });
    return isParked;
  }

  /** Wakes during a read of the row cause one more read. */
  private async look(): Promise<void> {
    try {
      while (this.shouldLook) {
        this.shouldLook = false;
        await this.lookOnce();
      }
    } finally {
      this.looking = undefined;
    }
  }

  private async lookOnce(): Promise<void> {
    const { run, stop, slot } = this.options;
    await run.requirements.parking; // once parked, the signal is for the next run
    if (stop.isRequested) return;
    const row = await run.services.interactions.findInteraction(run.interaction.id, ANY_TENANT);
    if (!row) return;
    if (row.cancel_reason !== null) return stop.cancel(row.cancel_reason, row.cancelled_by);
    if (row.signals === this.known) return;
    if (!slot.reclaim(() => void this.wake())) return; // wakes again once there is room
    await this.takeSignals();
    this.known = row.signals;
  }

  private async takeSignals(): Promise<void> {
    try {
      await this.takeRequests();
      await this.takeInterventions();
    } finally {
      if (this.options.run.activity.current !== 'working') this.options.slot.release();
    }
  }
}
