import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../access/chat-access.js';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { RunWaker } from '../event-log/live/run-waker.js';
import { AppError } from '../kernel/app-error.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import type { InteractionKey, InteractionRow } from '../persistence/rows/interaction-row.js';
import type { StoppedEffect } from '../protocol/events.js';
import type { InteractionStatus } from '../protocol/interaction.js';
import { isFinal } from '../protocol/interaction.js';
import { WaitForEnd } from './wait-for-end.js';

/** The outcome of a cancellation. */
export interface CancelOutcome {
  readonly status: InteractionStatus;
  readonly stopped: readonly StoppedEffect[];
}

const WAIT_LIMIT_MS = 30_000;

/**
 * Requests the cancellation of interactions. It is a flag on the row; the run that owns the
 * interaction reads it.
 */
@Injectable()
export class CancellationService {
  constructor(
    private readonly access: ChatAccess,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
    private readonly waker: RunWaker,
    private readonly waitForEnd: WaitForEnd,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * For a user, or else for the server itself. Returns the current row; undefined if there is none.
   * An interaction without an owner is run in order to end it.
   */
  async request(
    interaction: InteractionKey,
    reason: string,
    userId?: string,
  ): Promise<InteractionRow | undefined> {
    const row = await this.interactions.requestCancel(interaction, reason, userId);
    if (row && !isFinal(row.status)) this.waker.wake(row.id);
    return row;
  }

  /** @throws AppError `interaction_not_found` (404), `already_ended` (409) */
  async requestByUser(
    caller: Principal,
    chatId: string,
    interactionId: string,
  ): Promise<InteractionRow> {
    const before = await this.access.interactionToStop(caller, chatId, interactionId);
    if (isFinal(before.status)) throw alreadyEnded(before.status);
    const row = await this.request(before, 'Cancelled by the user.', caller.user_id);
    if (row && isFinal(row.status)) throw alreadyEnded(row.status);
    if (before.cancel_reason !== null) return before; // it is being cancelled already
    const subject = { chat_id: before.chat_id, interaction_id: before.id };
    await this.audit.note(caller, 'interaction.cancelled', subject);
    return before;
  }

  /** Undefined when it doesn't end within 30 s. What was stopped is for those who see the chat. */
  async outcome(caller: Principal, { id }: InteractionRow): Promise<CancelOutcome | undefined> {
    if (!(await this.waitForEnd.of(id, { limit_ms: WAIT_LIMIT_MS }))) return undefined;
    const row = await this.interactions.findInteraction(id, ANY_TENANT);
    if (!row) return undefined;
    const isSeen =
      caller.scopes.has('chat') &&
      (await this.interactions.findInteraction(id, viewerOf(caller))) !== undefined;
    return { status: row.status, stopped: isSeen ? await this.stoppedIn(id) : [] };
  }

  private async stoppedIn(id: string): Promise<readonly StoppedEffect[]> {
    const [record] = await this.records.readRecordsOfTypes([id], ['CANCELLED']);
    return record?.body.type === 'CANCELLED' ? record.body.stopped : [];
  }
}

function alreadyEnded(status: InteractionStatus): AppError {
  const message = `The interaction has ended already: ${status}.`;
  return new AppError('conflict', 'already_ended', message, {
    extra: { interaction_status: status },
  });
}
