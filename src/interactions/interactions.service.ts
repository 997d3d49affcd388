import { Injectable } from '@nestjs/common';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { DisconnectWatch } from '../cancellation/disconnect-watch.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { RunWaker } from '../event-log/live/run-waker.js';
import { FileIntake } from '../files/file-intake.js';
import { Redaction } from '../guardrails/redaction/redaction.js';
import { AdmissionGate } from '../streams/admission-gate.js';
import { Clock } from '../kernel/clock.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { UsedKey } from '../persistence/rows/start-rows.js';
import { Quotas } from '../quotas/quotas.js';
import { RunQueue } from '../queue/run-queue.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { LeaseKeeper } from '../runs/runner/lease-keeper.js';
import { Runner } from '../runs/runner/runner.js';
import { InteractionFactory, idempotencyOf } from './interaction.factory.js';
import { chatBusy, requireAccepted } from './start-errors.js';
import type { Accepted } from './start-errors.js';
import type { StartRequest } from './start-request.js';

const BUSY_ADVICE =
  ', cancel it, or send on_conflict "interrupt" (or "enqueue", unless it is an edit).';

/** Starts interactions. */
@Injectable()
export class InteractionsService {
  constructor(
    private readonly factory: InteractionFactory,
    private readonly interactions: InteractionStore,
    private readonly queue: RunQueue,
    private readonly waker: RunWaker,
    private readonly bus: LiveBus,
    private readonly runner: Runner,
    private readonly leases: LeaseKeeper,
    private readonly disconnects: DisconnectWatch,
    private readonly gate: AdmissionGate,
    private readonly redaction: Redaction,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
    private readonly files: FileIntake,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * Saves the interaction and has it run, now or when its turn comes. The same idempotency key and
   * body give the one that was started before.
   * @throws AppError as `requireAccepted` and `InteractionFactory.create`, `chat_busy` (409),
   * `quota_exceeded` (429), and `shutting_down` (503)
   */
  async start(asked: StartRequest): Promise<Accepted> {
    this.gate.requireOpen();
    const request = await this.redaction.of(asked, 'user_message'); // before it is hashed or saved
    const used = await this.findUsedKey(request);
    if (used) return requireAccepted(used, request.chat_id);
    const start = await this.factory.create(request);
    const quota = await this.quotas.requireStart(request.caller.tenant_id);
    // Files take their time to move: the lease would run meanwhile.
    const lease = this.queue.isImmediate && !start.adopts && { lease: this.leases.terms };
    const leased_at = this.clock.boottime();
    const audit = this.audit.entry(request.caller, 'chat.created', {
      chat_id: request.chat_id,
      interaction_id: start.interaction.id,
    });
    const found = await this.interactions.startInteraction({ ...start, ...lease, ...quota, audit });
    if (found.outcome === 'busy') {
      const { active_interaction_id: id } = found;
      const active = await this.interactions.findInteraction(id, viewerOf(request.caller));
      throw chatBusy(active ?? { id }, BUSY_ADVICE);
    }
    const outcome = requireAccepted(this.quotas.requireWithin(found), request.chat_id);
    const row = outcome.interaction;
    if (outcome.outcome === 'repeated') return outcome;
    this.telemetry.emit('interaction_started', { interaction: row });
    if (start.adopts) await this.files.moveBytes(request.caller, row, start.adopts);
    this.noteChange(row);
    if (row.settings.on_disconnect === 'cancel') this.disconnects.expectReader(row.id);
    if (outcome.outcome === 'queued')
      await this.afterQueueing(request.caller, row, outcome.interrupted);
    else if (lease) this.runner.runClaimed(outcome, leased_at);
    else this.queue.enqueue(row.id, { priority: 'new' });
    return outcome;
  }

  /** Before the rest is checked: the agent or the model may be gone since the first request. */
  private async findUsedKey(request: StartRequest): Promise<UsedKey | undefined> {
    const idempotency = idempotencyOf(request);
    const { chat_id, caller } = request;
    return idempotency && this.interactions.findUsedKey(chat_id, idempotency, viewerOf(caller));
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
