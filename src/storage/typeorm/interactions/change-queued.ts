import type { InteractionKey } from '../../../persistence/rows/interaction-row.js';
import type { QueuedChange, QueuedOutcome } from '../../../persistence/rows/start-rows.js';
import type { Database, Row } from '../connection/database.js';
import { named } from '../named-statement.js';
import { LOCK_CHAT_OF } from './chat-statements.js';
import { FIND_INTERACTION, IS_QUEUED, toInteractionRow } from './interaction-row.js';
import type { ColumnsOfInteraction } from './interaction-row.js';

/** A cancel takes no lock of the chat: the row is checked as it is then. */
const WILL_BEGIN = `${IS_QUEUED} AND i.cancel_reason IS NULL`;

/**
 * Requires the lock of the chat. Changes a queued interaction: its message and its settings unless
 * null; if it `moves`, its place to that before another one, or to the end if that is null. A move
 * numbers the queue anew, the others in their order.
 */
const CHANGE = named({
  name: 'queue.change',
  parameters: 'id, tenant_id, user_message, settings, moves, before',
  text: `
    WITH target AS (SELECT i.id, i.chat_uid FROM interactions i WHERE i.id = :id AND i.tenant_id = :tenant_id AND i.${WILL_BEGIN}),
    queue AS MATERIALIZED (
      SELECT i.id, i.cancel_reason, 2 * row_number() OVER (ORDER BY i.queue_rank, i.id) AS place
      FROM interactions i WHERE i.chat_uid = (SELECT chat_uid FROM target) AND i.${IS_QUEUED}
    ),
    goal AS (
      SELECT CASE
          WHEN NOT :moves::boolean THEN (SELECT place FROM queue WHERE id = :id)
          WHEN :before::text IS NULL THEN (SELECT max(place) + 1 FROM queue)
          ELSE (SELECT place - 1 FROM queue WHERE id = :before AND id <> :id AND cancel_reason IS NULL)
        END AS place
    ),
    ordered AS MATERIALIZED (
      SELECT q.id, row_number() OVER (ORDER BY CASE WHEN q.id = :id THEN g.place ELSE q.place END) AS rank
      FROM queue q CROSS JOIN goal g WHERE g.place IS NOT NULL
    ),
    moved AS (
      UPDATE interactions i SET queue_rank = o.rank FROM ordered o
      WHERE i.id = o.id AND i.id <> :id AND :moves AND i.${IS_QUEUED} AND i.queue_rank <> o.rank
    ),
    changed AS (
      UPDATE interactions i SET queue_changes = i.queue_changes + 1,
        queue_rank = CASE WHEN :moves THEN o.rank ELSE i.queue_rank END,
        user_message = coalesce(:user_message::text, i.user_message),
        settings = coalesce(:settings::json, i.settings),
        bytes = i.bytes + coalesce(octet_length(:user_message) - octet_length(i.user_message), 0)
          + coalesce(octet_length(:settings::json::text) - octet_length(i.settings::text), 0)
      FROM ordered o WHERE i.id = :id AND o.id = :id AND i.${WILL_BEGIN} RETURNING i.id
    )
    SELECT EXISTS (SELECT FROM changed) AS changed,
      EXISTS (SELECT FROM target) AND (SELECT place FROM goal) IS NULL AS is_unknown`,
});

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
  const settings = text && JSON.stringify(text.settings);
  const edited = { user_message: text?.user_message, settings };
  const [, verdicts, rows] = await db.batch<Verdict & ColumnsOfInteraction>([
    [LOCK_CHAT_OF, [id]],
    CHANGE({ id, tenant_id, ...edited, moves: before !== undefined, before }),
    [FIND_INTERACTION, [id]],
  ]);
  const { changed, is_unknown } = verdicts![0]!;
  if (changed) return { outcome: 'changed', interaction: toInteractionRow(rows![0]!) };
  return { outcome: is_unknown ? 'unknown_place' : 'not_queued' };
}
