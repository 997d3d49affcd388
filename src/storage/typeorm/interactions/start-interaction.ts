import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type {
  AdoptedFile,
  StartInteraction,
  StartOutcome,
} from '../../../persistence/rows/start-rows.js';
import { LOCK_NAMED_CHAT, MARK_BRANCH_OF, chatValues } from './chat-statements.js';
import { viewerValues } from '../viewer-sql.js';
import { textsOf } from '../../../persistence/chat-texts.js';
import { NO_USAGE } from '../../../protocol/interaction.js';
import { INTERRUPTED } from '../../../persistence/interaction-rules.js';
import { firstRecord } from '../../../persistence/rows/log-record.js';
import { findInteraction } from './interaction-row.js';
import { addWithChat } from '../stores/typeorm-audit-store.js';
import { ADOPT } from '../stores/typeorm-file-catalog.js';
import type { Database } from '../connection/database.js';
import { LOCK_QUOTA, quotaValues, toQuotaExceeded } from './quota-statements.js';
import type { ColumnsOfQuota } from './quota-statements.js';
import { DROP_EMPTY_CHAT, HOLD_CHAT, START, START_WITHIN_QUOTA } from './start-statements.js';
import type { Step } from '../connection/database.js';

interface Verdict extends ColumnsOfQuota {
  readonly is_new_chat: boolean;
  readonly outcome: 'seen' | Exclude<StartOutcome['outcome'], 'repeated' | 'key_reused'>;
  readonly chat_uid: string;
  readonly seen_id: string;
  readonly fingerprint: string | null;
  readonly parent_id: string | null;
  readonly interrupted: string | null;
  readonly busy_id: string;
}

/** Starts or queues an interaction in one round trip. */
export async function startInteraction(
  db: Database,
  start: StartInteraction,
): Promise<StartOutcome> {
  const verdict = await tryToStart(db, start).catch((error: unknown) => {
    if (!isOvertaken(error)) throw error;
    return tryToStart(db, start);
  });
  switch (verdict.outcome) {
    case 'started':
      return toStarted(start, verdict);
    case 'queued':
      return toQueued(start, verdict);
    case 'seen':
      return repeat(db, start, verdict);
    case 'busy':
      return { outcome: 'busy', active_interaction_id: verdict.busy_id };
    case 'other_chat':
      return { outcome: 'other_chat', chat_uid: verdict.chat_uid };
    case 'hidden':
    case 'queue_full':
    case 'unknown_edit':
    case 'edits_queued':
      return { outcome: verdict.outcome };
    case 'quota_exceeded':
      return toQuotaExceeded(verdict);
  }
}

async function tryToStart(db: Database, start: StartInteraction): Promise<Verdict> {
  const { interaction, edited_from, quota, chat, audit, adopts = [] } = start;
  const lock: Step = createsChat(start)
    ? HOLD_CHAT(chatValues(chat))
    : [LOCK_NAMED_CHAT, [chat.tenant_id, chat.id]];
  const values = toValues(start);
  const steps: Step[] = quota
    ? [
        lock,
        [LOCK_QUOTA, [chat.tenant_id]],
        START_WITHIN_QUOTA({ ...values, ...quotaValues(quota) }),
        [DROP_EMPTY_CHAT, [chat.uid]],
      ]
    : [lock, START(values)];
  if (edited_from !== undefined)
    steps.push([MARK_BRANCH_OF, [interaction.id, interaction.created_at]]);
  else if (audit) steps.push(addWithChat(audit, start));
  if (adopts.length > 0) steps.push([ADOPT, adoptValues(interaction.id, adopts)]);
  const results = await db.batch<Verdict>(steps);
  const is_new_chat = createsChat(start) && results[0]!.length > 0;
  return { ...results[quota ? 2 : 1]![0]!, is_new_chat };
}

function adoptValues(id: string, files: readonly AdoptedFile[]): unknown[] {
  return [id, files.map((file) => file.id), files.map(({ filename }) => filename)];
}

async function repeat(
  db: Database,
  { idempotency, viewer }: StartInteraction,
  { seen_id, fingerprint }: Verdict,
): Promise<StartOutcome> {
  if (fingerprint !== idempotency?.fingerprint) return { outcome: 'key_reused' };
  return { outcome: 'repeated', interaction: (await findInteraction(db, seen_id, viewer))! };
}

/** An interaction became active without the chat's lock meanwhile (I9); the retry sees it. */
function isOvertaken(error: unknown): boolean {
  const { cause } = error as { cause?: { constraint?: string } };
  return cause?.constraint === 'interactions_one_active_per_chat';
}

/** An edit must not create a chat that does not exist, nor what is sealed for another one. */
function createsChat({ chat, edited_from, sealed_for = chat.uid }: StartInteraction): boolean {
  return edited_from === undefined && sealed_for === chat.uid;
}

function toValues(start: StartInteraction) {
  const { interaction, viewer, idempotency, lease, chat } = start;
  const { edited_from, on_conflict, sealed_for } = start;
  return {
    ...interaction,
    settings: JSON.stringify(interaction.settings),
    metadata: JSON.stringify(interaction.metadata),
    epoch: lease ? 1 : 0,
    owner: lease?.owner,
    ttl_ms: lease?.ttl_ms,
    idempotency_key: idempotency?.key,
    idempotency_fingerprint: idempotency?.fingerprint,
    ...{ edited_from, on_conflict, sealed_for },
    cancel_reason: INTERRUPTED,
    ...(start.chat_texts ?? textsOf(interaction.user_message)),
    data_key: chat.data_key?.wrapped,
    ...viewerValues(viewer),
  };
}

function toStarted(
  start: StartInteraction,
  { chat_uid, parent_id, is_new_chat }: Verdict,
): StartOutcome {
  const epoch = start.lease ? 1 : 0;
  const interaction = toRow(start, { chat_uid, parent_id, status: 'RUNNING', last_seq: 1, epoch });
  const first = firstRecord(interaction, { epoch, at: interaction.created_at });
  return { outcome: 'started', interaction, first, is_new_chat };
}

function toQueued(
  start: StartInteraction,
  { chat_uid, parent_id, interrupted }: Verdict,
): StartOutcome {
  const interaction = toRow(start, {
    chat_uid,
    parent_id,
    status: 'QUEUED',
    last_seq: 0,
    epoch: 0,
  });
  return { outcome: 'queued', interaction, interrupted };
}

function toRow(
  { interaction, viewer, edited_from }: StartInteraction,
  entered: Pick<InteractionRow, 'chat_uid' | 'parent_id' | 'status' | 'last_seq' | 'epoch'>,
): InteractionRow {
  const { id, chat_id, user_message, agent, model, settings, created_at, metadata, agent_id } =
    interaction;
  return {
    id,
    chat_id,
    tenant_id: viewer.tenant_id,
    started_by: viewer.user_id,
    user_message,
    agent,
    model,
    settings,
    usage: NO_USAGE,
    error: null,
    created_at,
    completed_at: null,
    superseded_at: null,
    metadata,
    agent_id,
    edited_from: edited_from ?? null,
    signals: 0,
    cancel_reason: null,
    cancelled_by: null,
    waits_for: null,
    ...entered,
  };
}
