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
import { ConversationCache } from '../persistence/conversation-cache/conversation-cache.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { UsedKey } from '../persistence/rows/start-rows.js';
import { Quotas } from '../quotas/quotas.js';
import { RunQueue } from '../queue/run-queue.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { RESUME_REASONS } from '../runs/scope/run-input.js';
import { LeaseKeeper } from '../runs/runner/lease-keeper.js';
import { Runner } from '../runs/runner/runner.js';
import { InteractionFactory, idempotencyOf } from './interaction.factory.js';
import { RunChecks } from './run-checks.js';
import { GIVEN_UP, chatBusy, notGivenUp, requireAccepted, requireRetried } from './start-errors.js';
import type { Accepted } from './start-errors.js';
import type { StartRequest } from './start-request.js';

const BUSY_ADVICE =
  ', cancel it, or send on_conflict "interrupt" (or "enqueue", unless it is an edit).';

/** Starts interactions. */
@Injectable()
export class InteractionsService {
  constructor(
    private readonly factory: InteractionFactory,
    private readonly checks: RunChecks,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
    private readonly conversations: ConversationCache,
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
   * Takes up again, with its log, an interaction that the server had given up. Its settings are
   * checked as those of a start.
   * @throws AppError as `requireRetried` and `RunChecks.require`, `chat_busy` (409),
   * `quota_exceeded` (429), and `shutting_down` (503)
   */
  async retry(caller: Principal, given: InteractionRow): Promise<InteractionRow> {
    const { id, chat_id, chat_uid, tenant_id, agent, model, settings } = given;
    this.gate.requireOpen();
    if (settings.imported) throw notGivenUp('This one was imported. ');
    this.checks.require(caller, { agent, model, ...settings });
    const before = await this.records.readRecordsOfTypes([id], ['RESUMED']);
    const attempt = before.length + 1;
    const quota = await this.quotas.requireStart(tenant_id);
    const outcome = await this.interactions.retryInteraction({
      interaction_id: id,
      tenant_id,
      codes: GIVEN_UP,
      resumed: { type: 'RESUMED', attempt, reason: RESUME_REASONS.retried },
      at: this.clock.now().toISOString(),
      ...quota,
    });
    if (outcome?.outcome === 'busy') {
      const active = await this.interactions.findActiveInteraction(chat_uid);
      throw chatBusy(active ?? { id: outcome.active_interaction_id }, ' or cancel it.');
    }
    const row = requireRetried(outcome && this.quotas.requireWithin(outcome));
    this.noteChange(row);
    await this.audit.note(caller, 'interaction.retried', { chat_id, interaction_id: id });
    await this.conversations.forget(chat_uid);
    this.queue.enqueue(id, { priority: 'new' });
    return row;
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
