import type { InteractionKey } from '../../../persistence/rows/interaction-row.js';
import type { QueuedChange, QueuedOutcome } from '../../../persistence/rows/start-rows.js';
import type { Database, Row, Statement } from '../connection/database.js';
import { LOCK_CHAT_OF } from './chat-statements.js';
import { FIND_INTERACTION, IS_QUEUED, toInteractionRow } from './interaction-row.js';
import type { ColumnsOfInteraction } from './interaction-row.js';

/** A cancel takes no lock of the chat: the row is checked as it is then. */
const WILL_BEGIN = `${IS_QUEUED} AND i.cancel_reason IS NULL`;

/**
 * Requires the lock of the chat. Changes the queued interaction `$1` of the tenant `$2`: its
 * message to `$3` and its settings to `$4` unless null; if `$5`, its place to that before `$6`, or
 * to the end if that is null. A move numbers the queue anew, the others in their order.
 */
const CHANGE: Statement = {
  name: 'queue.change',
  text: `
    WITH target AS (SELECT i.id, i.chat_uid FROM interactions i WHERE i.id = $1 AND i.tenant_id = $2 AND i.${WILL_BEGIN}),
    queue AS MATERIALIZED (
      SELECT i.id, i.cancel_reason, 2 * row_number() OVER (ORDER BY i.queue_rank, i.id) AS place
      FROM interactions i WHERE i.chat_uid = (SELECT chat_uid FROM target) AND i.${IS_QUEUED}
    ),
    goal AS (
      SELECT CASE
          WHEN NOT $5::boolean THEN (SELECT place FROM queue WHERE id = $1)
          WHEN $6::text IS NULL THEN (SELECT max(place) + 1 FROM queue)
          ELSE (SELECT place - 1 FROM queue WHERE id = $6 AND id <> $1 AND cancel_reason IS NULL)
        END AS place
    ),
    ordered AS MATERIALIZED (
      SELECT q.id, row_number() OVER (ORDER BY CASE WHEN q.id = $1 THEN g.place ELSE q.place END) AS rank
      FROM queue q CROSS JOIN goal g WHERE g.place IS NOT NULL
    ),
    moved AS (
      UPDATE interactions i SET queue_rank = o.rank FROM ordered o
      WHERE i.id = o.id AND i.id <> $1 AND $5 AND i.${IS_QUEUED} AND i.queue_rank <> o.rank
    ),
    changed AS (
      UPDATE interactions i SET queue_changes = i.queue_changes + 1,
        queue_rank = CASE WHEN $5 THEN o.rank ELSE i.queue_rank END,
        user_message = coalesce($3::text, i.user_message),
        settings = coalesce($4::json, i.settings),
        bytes = i.bytes + coalesce(octet_length($3) - octet_length(i.user_message), 0)
          + coalesce(octet_length($4::json::text) - octet_length(i.settings::text), 0)
      FROM ordered o WHERE i.id = $1 AND o.id = $1 AND i.${WILL_BEGIN} RETURNING i.id
    )
    SELECT EXISTS (SELECT FROM changed) AS changed,
      EXISTS (SELECT FROM target) AND (SELECT place FROM goal) IS NULL AS is_unknown`,
};

interface Verdict extends Row {
  readonly changed: boolean;
  readonly is_unknown: boolean;
}

/** In turn with promotion, which takes the lock of the chat, too. */
export async function changeQueued(
  db: Database,
  { id, tenant_id }: InteractionKey,
  { text, before }: QueuedChange,
): Promise<QueuedOutcome> {
  const edited = [text?.user_message, text && JSON.stringify(text.settings)];
  const values = [id, tenant_id, ...edited, before !== undefined, before];
  const [, verdicts, rows] = await db.batch<Verdict & ColumnsOfInteraction>([
    [LOCK_CHAT_OF, [id]],
    [CHANGE, values],
    [FIND_INTERACTION, [id]],
  ]);
  const { changed, is_unknown } = verdicts![0]!;
  if (changed) return { outcome: 'changed', interaction: toInteractionRow(rows![0]!) };
  return { outcome: is_unknown ? 'unknown_place' : 'not_queued' };
}
