import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../access/chat-access.js';
import { agentNotFound } from '../../access/not-found.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { requireScope } from '../../auth/auth-errors.js';
import type { Principal } from '../../auth/principal.js';
import { CancellationService } from '../../cancellation/cancellation.service.js';
import { Redaction } from '../../guardrails/redaction/redaction.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.js';
import { Ids } from '../../kernel/ids.js';
import { InterventionStore } from '../../persistence/intervention.store.js';
import { RecordStore } from '../../persistence/record.store.js';
import { MAX_INTERVENTIONS } from '../../persistence/rows/intervention-rows.js';
import type { NewIntervention } from '../../persistence/rows/intervention-rows.js';
import { RunWaker } from '../../event-log/live/run-waker.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { isFinal } from '../../protocol/interaction.js';
import { DELETED } from './intervention-view.js';
import type { AcceptedIntervention } from '../../protocol/wire/agent.js';

export interface WantedIntervention {
  readonly user_comment: string;
  readonly user_content?: string | undefined;
}

type Noted = Pick<AcceptedIntervention, 'intervention_id' | 'agent_id'> & WantedIntervention;

/** Accepts interventions, and wakes the runs that they are for. */
@Injectable()
export class InterventionsService {
  constructor(
    private readonly access: ChatAccess,
    private readonly records: RecordStore,
    private readonly interventions: InterventionStore,
    private readonly waker: RunWaker,
    private readonly cancellation: CancellationService,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly redaction: Redaction,
  ) {}

  /**
   * @throws AppError `missing_scope` (403), `agent_not_found` (404), `agent_ended` (409),
   * `too_many_interventions` (429)
   */
  async intervene(
    caller: Principal,
    agentId: string,
    wanted: WantedIntervention,
  ): Promise<AcceptedIntervention> {
    requireScope(caller, 'decide');
    const row = await this.access.ofAgent(caller, agentId);
    if (await this.hasEnded(agentId, row)) throw agentEnded(agentId);
    const id = this.ids.make('intervention');
    const intervention = {
      ...{ id, interaction_id: row.id, agent_id: agentId },
      ...(await this.redacted(wanted)),
      created_at: this.clock.now().toISOString(),
      created_by: caller.user_id,
    };
    const { outcome } = await this.interventions.intervene(intervention, caller.tenant_id);
    switch (outcome) {
      case 'accepted':
        if (wanted.user_comment === 'delete' && agentId === row.agent_id)
          // stopping the root agent cancels the interaction
          await this.cancellation.request(row, DELETED, caller.user_id);
        else this.waker.wake(row.id);
        await this.note(caller, row, { intervention_id: id, agent_id: agentId, ...wanted });
        return { intervention_id: id, agent_id: agentId, status: 'accepted' };
      case 'ended':
        throw agentEnded(agentId);
      case 'too_many':
        throw tooMany(row.id);
      case 'unknown':
        throw agentNotFound(agentId);
    }
  }

  /** Without the text of a note. */
  private note(
    caller: Principal,
    { chat_id, id: interaction_id }: InteractionRow,
    { intervention_id, agent_id, user_comment }: Noted,
  ): Promise<void> {
    const detail = {
      ...{ intervention_id, agent_id },
      kind: isAction(user_comment) ? user_comment : 'note',
    };
    return this.audit.note(caller, 'agent.intervened', { chat_id, interaction_id, detail });
  }

  /** The words that select an action stay. */
  private async redacted(
    wanted: WantedIntervention,
  ): Promise<Pick<NewIntervention, 'user_comment' | 'user_content' | 'redacted'>> {
    const { user_comment } = wanted;
    const texts = { user_comment, user_content: wanted.user_content ?? null };
    const redacted = await (isAction(user_comment)
      ? this.redaction.of(texts, 'user_content')
      : this.redaction.of(texts, 'user_comment', 'user_content'));
    return { redacted: null, ...redacted };
  }

  private async hasEnded(agentId: string, { id, status }: InteractionRow): Promise<boolean> {
    if (isFinal(status)) return true;
    const ends = await this.records.readRecordsOfTypes([id], ['AGENT_COMPLETED']);
    return ends.some(({ agent_id }) => agent_id === agentId);
  }
}

/** Else it is a note. */
function isAction(comment: string): boolean {
  return comment === 'delete' || comment === 'modify';
}

function agentEnded(agentId: string): AppError {
  return new AppError(
    'conflict',
    'agent_ended',
    `The agent ${agentId} has ended, or is about to. GET /agents/${agentId} says how; to go on, send a new message to its chat.`,
  );
}

function tooMany(interactionId: string): AppError {
  return new AppError(
    'rate_limited',
    'too_many_interventions',
    `The agents of ${interactionId} have already received ${MAX_INTERVENTIONS} interventions, the maximum of one interaction. Cancel it, or wait for its end and send a new message.`,
  );
}
