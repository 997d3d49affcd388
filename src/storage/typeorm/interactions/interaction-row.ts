import type { Database, Statement } from '../connection/database.js';
import type {
  InteractionRow,
  InteractionSettings,
} from '../../../persistence/rows/interaction-row.js';
import type { InteractionError, InteractionStatus } from '../../../protocol/interaction.js';
import type { AnyViewer } from '../../../persistence/viewer.js';
import { inSeenChat, viewerValues } from '../viewer-sql.js';
import type { Json } from '../../../protocol/json.js';

/**
 * The columns of `ColumnsOfInteraction`, of the table `i`. The driver gives a bigint as text, and a
 * double as the number that it is.
 */
export const INTERACTION_COLUMNS = `i.id, i.chat_uid, i.chat_id, i.tenant_id, i.started_by, i.parent_id, i.status, i.user_message, i.agent, i.model, i.settings,
  i.input_tokens::double precision, i.output_tokens::double precision, i.error, i.created_at, i.completed_at, i.superseded_at, i.last_seq, i.metadata, i.epoch, i.agent_id, i.edited_from,
  i.signals, i.cancel_reason, i.cancelled_by`;

/** An interaction as the driver reads it. */
export interface ColumnsOfInteraction {
  readonly id: string;
  readonly chat_uid: string;
  readonly chat_id: string;
  readonly tenant_id: string;
  readonly started_by: string;
  readonly parent_id: string | null;
  readonly status: InteractionStatus;
  readonly user_message: string;
  readonly agent: string;
  readonly model: string;
  readonly settings: InteractionSettings;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly error: InteractionError | null;
  readonly created_at: Date;
  readonly completed_at: Date | null;
  readonly superseded_at: Date | null;
  readonly last_seq: number;
  readonly metadata: Json;
  readonly epoch: number;
  readonly agent_id: string;
  readonly edited_from: string | null;
  readonly signals: number;
  readonly cancel_reason: string | null;
  readonly cancelled_by: string | null;
}

export function toInteractionRow(columns: ColumnsOfInteraction): InteractionRow {
  const { input_tokens, output_tokens } = columns;
  return {
    id: columns.id,
    chat_uid: columns.chat_uid,
    chat_id: columns.chat_id,
    tenant_id: columns.tenant_id,
    started_by: columns.started_by,
    parent_id: columns.parent_id,
    status: columns.status,
    user_message: columns.user_message,
    agent: columns.agent,
    model: columns.model,
    settings: columns.settings,
    usage: { input_tokens, output_tokens },
    error: columns.error,
    created_at: columns.created_at.toISOString(),
    completed_at: columns.completed_at?.toISOString() ?? null,
    superseded_at: columns.superseded_at?.toISOString() ?? null,
    last_seq: columns.last_seq,
    metadata: columns.metadata,
    epoch: columns.epoch,
    agent_id: columns.agent_id,
    edited_from: columns.edited_from,
    signals: columns.signals,
    cancel_reason: columns.cancel_reason,
    cancelled_by: columns.cancelled_by,
  };
}

/**
 * Written as a literal, because a partial index is used only if its predicate occurs in the query.
 */
export const IS_ACTIVE = "status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT')";

/** True while it waits for its chat; for a table `i`: `i.${IS_QUEUED}`. */
export const IS_QUEUED = "status = 'QUEUED'";

/** An interaction that ended in the queue keeps its rank. */
export const HAS_BEGUN = 'queue_rank IS NULL';

/**
 * True if the interaction of the table `i` may have a run: it is active, or queued and to be
 * cancelled.
 */
export const MAY_RUN = `(i.${IS_ACTIVE} OR i.${IS_QUEUED} AND i.cancel_reason IS NOT NULL)`;

export const SELECT_INTERACTIONS = `SELECT ${INTERACTION_COLUMNS} FROM interactions i`;

export const FIND_INTERACTION: Statement = {
  name: 'interactions.find',
  text: `${SELECT_INTERACTIONS} WHERE i.id = $1`,
};

const FIND_SEEN: Statement = {
  name: 'interactions.find_seen',
  text: `${SELECT_INTERACTIONS} WHERE i.id = $1 AND ${inSeenChat('i', 2)}`,
};

export async function findInteraction(
  db: Database,
  id: string,
  viewer: AnyViewer,
): Promise<InteractionRow | undefined> {
  const [found] = await db.query<ColumnsOfInteraction>(FIND_SEEN, [id, ...viewerValues(viewer)]);
  return found && toInteractionRow(found);
}

/** Assignments to `interactions i` that request a cancel, unless one was requested before. */
export function cancelledBy(reason: string, userId: string): string {
  return `cancel_reason = coalesce(i.cancel_reason, ${reason}), signals = i.signals + 1,
      cancelled_by = CASE WHEN i.cancel_reason IS NULL THEN ${userId}::text ELSE i.cancelled_by END`;
}
