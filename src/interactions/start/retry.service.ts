import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../auth/principal.js';
import { LiveBus } from '../../event-log/live/live-bus.js';
import { Clock } from '../../kernel/clock.js';
import { ConversationCache } from '../../persistence/conversation-cache/conversation-cache.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { RunQueue } from '../../queue/run-queue.js';
import { Quotas } from '../../quotas/quotas.js';
import { RESUME_REASONS } from '../../runs/scope/run-input.js';
import { AdmissionGate } from '../../streams/admission-gate.js';
import { RunChecks } from './run-checks.js';
import { GIVEN_UP, chatBusy, notGivenUp, requireRetried } from './start-errors.js';

/** Retries interactions that the server had given up. */
@Injectable()
export class RetryService {
  constructor(
    private readonly checks: RunChecks,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
    private readonly conversations: ConversationCache,
    private readonly queue: RunQueue,
    private readonly bus: LiveBus,
    private readonly gate: AdmissionGate,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
  ) {}

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
    this.bus.noteChange({ chat_uid, tenant_id });
    await this.audit.note(caller, 'interaction.retried', { chat_id, interaction_id: id });
    await this.conversations.forget(chat_uid);
    this.queue.enqueue(id, { priority: 'new' });
    return row;
  }
}
