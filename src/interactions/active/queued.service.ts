import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../access/chat-access.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../auth/principal.js';
import { LiveBus } from '../../event-log/live/live-bus.js';
import { Redaction } from '../../guardrails/redaction/redaction.js';
import { AppError } from '../../kernel/app-error.js';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import { InteractionStore } from '../../persistence/interaction.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { QueuedChange } from '../../persistence/rows/start-rows.js';
import { Quotas } from '../../quotas/quotas.js';
import { InteractionView } from '../interaction-view.js';
import { RunChecks } from '../start/run-checks.js';
import type { Interaction } from '../../protocol/wire/interaction.js';

interface Changes {
  readonly user_message?: string;
  /** Position in the queue, with the meaning that it has in `QueuedChange`. */
  readonly before?: string | null;
}

/** Shows and changes what waits in the queue of a chat. */
@Injectable()
export class QueuedService {
  /** Runs one list at a time for a user: messages may be long. */
  private readonly lists = new KeyedMutex();

  constructor(
    private readonly access: ChatAccess,
    private readonly interactions: InteractionStore,
    private readonly view: InteractionView,
    private readonly checks: RunChecks,
    private readonly redaction: Redaction,
    private readonly quotas: Quotas,
    private readonly bus: LiveBus,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * In the order in which they will run.
   * @throws AppError `chat_not_found` (404)
   */
  async list(caller: Principal, chatId: string): Promise<{ items: Interaction[] }> {
    const { uid } = await this.access.chat(caller, chatId);
    const key = JSON.stringify([caller.tenant_id, caller.user_id]);
    return this.lists.run(key, async () => {
      const rows = (await this.interactions.listUnfinished(uid)).filter(willBegin);
      return { items: await this.view.page(rows, { limit: rows.length, states: 'none' }) };
    });
  }

  /**
   * @throws AppError `interaction_not_found` (404), `not_queued` (409), `not_owner` (403),
   * `invalid_body` (400), `quota_exceeded` (429), and as `RunChecks.require`
   */
  async change(
    caller: Principal,
    { chat_id, interaction_id }: { readonly chat_id: string; readonly interaction_id: string },
    changes: Changes,
  ): Promise<Interaction> {
    const row = await this.access.interaction(caller, chat_id, interaction_id);
    if (!willBegin(row)) throw notQueued(row);
    const { user_message, before } = changes;
    const fields = Object.entries({ user_message, before }).flatMap(([field, to]) =>
      to === undefined ? [] : field,
    );
    if (fields.length === 0) return this.view.one(row);
    const changed = await this.store(row, {
      ...(user_message !== undefined && { text: await this.textOf(caller, row, user_message) }),
      ...(before !== undefined && { before }),
    });
    const { chat_uid, tenant_id } = row;
    this.bus.noteChange({ chat_uid, tenant_id });
    const subject = { chat_id, interaction_id, detail: { fields } };
    await this.audit.note(caller, 'interaction.changed', subject);
    return this.view.one(changed);
  }

  /** Text as a start would save it: redacted, and within the settings of the row. */
  private async textOf(
    caller: Principal,
    row: InteractionRow,
    sent: string,
  ): Promise<NonNullable<QueuedChange['text']>> {
    const { agent, model, tenant_id, started_by } = row;
    if (started_by !== caller.user_id && !caller.scopes.has('admin')) throw notOwner(row);
    const { redacted: _, ...settings } = row.settings;
    this.checks.require(caller, { agent, model, ...settings });
    const given = { user_message: sent };
    const { user_message, redacted } = await this.redaction.of<typeof given>(given, 'user_message');
    await this.quotas.requireBytes(tenant_id, Buffer.byteLength(user_message));
    return { user_message, settings: { ...settings, ...(redacted && { redacted }) } };
  }

  private async store(row: InteractionRow, change: QueuedChange): Promise<InteractionRow> {
    const outcome = await this.interactions.changeQueued(row, change);
    switch (outcome.outcome) {
      case 'changed':
        return outcome.interaction;
      case 'not_queued':
        throw notQueued(row);
      case 'unknown_place':
        throw unknownPlace(row);
    }
  }
}

/** A queued interaction that is being cancelled stays QUEUED until it has ended. */
function willBegin({ status, cancel_reason }: InteractionRow): boolean {
  return status === 'QUEUED' && cancel_reason === null;
}

function notQueued({ id }: InteractionRow): AppError {
  const message = `${id} is not queued any more: it has begun, has ended or is being cancelled.`;
  return new AppError('conflict', 'not_queued', message);
}

function notOwner({ id, started_by }: InteractionRow): AppError {
  const message = `${id} is a message of ${started_by}: only they and admins change what it says.`;
  return new AppError('forbidden', 'not_owner', message);
}

function unknownPlace({ chat_id }: InteractionRow): AppError {
  const message = `must be another queued interaction of the chat ${chat_id}, or null`;
  const errors = [{ field: 'before', message }];
  return new AppError('invalid', 'invalid_body', `before ${message}.`, { errors });
}
