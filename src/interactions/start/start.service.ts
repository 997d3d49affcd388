import { Injectable } from '@nestjs/common';
import { viewerOf } from '../../access/viewer-of.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { FileIntake } from '../../files/file-intake.js';
import { Redaction } from '../../guardrails/redaction/redaction.js';
import { AdmissionGate } from '../../streams/admission-gate.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import type { UsedKey } from '../../persistence/rows/start-rows.js';
import { Quotas } from '../../quotas/quotas.js';
import { Telemetry } from '../../telemetry/telemetry.js';
import { InteractionFactory, idempotencyOf } from './interaction.factory.js';
import { RunDispatcher } from './run-dispatcher.js';
import { chatBusy, requireAccepted } from './start-errors.js';
import type { Accepted } from './start-errors.js';
import type { StartRequest } from './start-request.js';

const BUSY_ADVICE =
  ', cancel it, or send on_conflict "interrupt" (or "enqueue", unless it is an edit).';

/** Starts interactions. */
@Injectable()
export class StartService {
  constructor(
    private readonly factory: InteractionFactory,
    private readonly interactions: InteractionStore,
    private readonly gate: AdmissionGate,
    private readonly redaction: Redaction,
    private readonly quotas: Quotas,
    private readonly audit: AuditTrail,
    private readonly files: FileIntake,
    private readonly telemetry: Telemetry,
    private readonly dispatcher: RunDispatcher,
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
    const claim = start.adopts ? undefined : this.dispatcher.claim();
    const audit = this.audit.entry(request.caller, 'chat.created', {
      chat_id: request.chat_id,
      interaction_id: start.interaction.id,
    });
    const found = await this.interactions.startInteraction({
      ...{ ...start, ...quota, audit },
      ...(claim && { lease: claim.lease }),
    });
    if (found.outcome === 'busy') {
      const { active_interaction_id: id } = found;
      const active = await this.interactions.findInteraction(id, viewerOf(request.caller));
      throw chatBusy(active ?? { id }, BUSY_ADVICE);
    }
    const outcome = requireAccepted(this.quotas.requireWithin(found), request.chat_id);
    if (outcome.outcome === 'repeated') return outcome;
    const { interaction } = outcome;
    this.telemetry.emit('interaction_started', { interaction });
    if (start.adopts) await this.files.moveBytes(request.caller, interaction, start.adopts);
    await this.dispatcher.dispatch(request.caller, outcome, claim);
    return outcome;
  }

  /** Before the rest is checked: the agent or the model may be gone since the first request. */
  private async findUsedKey(request: StartRequest): Promise<UsedKey | undefined> {
    const idempotency = idempotencyOf(request);
    const { chat_id, caller } = request;
    return idempotency && this.interactions.findUsedKey(chat_id, idempotency, viewerOf(caller));
  }
}
