import type { RetryInteraction, RetryOutcome } from '../../../persistence/rows/start-rows.js';
import type { Database } from '../connection/database.js';
import { named } from '../named-statement.js';
import { LOCK_CHAT_OF } from './chat-statements.js';
import {
  EXCEEDED,
  LOCK_QUOTA,
  QUOTA_USAGE,
  QUOTAS,
  quotaValues,
  toQuotaExceeded,
} from './quota-statements.js';
import type { ColumnsOfQuota } from './quota-statements.js';
import { FIND_INTERACTION, IS_ACTIVE, IS_QUEUED, toInteractionRow } from './interaction-row.js';
import type { ColumnsOfInteraction } from './interaction-row.js';

/** Requires the locks of the chat and of the quota: retries are rare. */
const RETRY = named({
  name: 'interactions.retry',
  parameters: `id, tenant_id, codes, at, resumed, ${QUOTAS}`,
  text: `
    WITH ${QUOTA_USAGE},
    found AS (
      SELECT i.id, i.chat_uid, coalesce(i.status = 'FAILED' AND i.error ->> 'code' = ANY (:codes::text[]), false) AS is_given_up
      FROM interactions i WHERE i.id = :id AND i.tenant_id = :tenant_id
    ),
    head AS (
      SELECT i.id FROM found JOIN interactions i ON i.id = found.id JOIN chats c ON c.uid = found.chat_uid AND c.head_interaction_id = i.id
      WHERE i.superseded_at IS NULL
    ),
    busy AS (
      SELECT i.id FROM interactions i JOIN found ON i.chat_uid = found.chat_uid WHERE i.${IS_ACTIVE} OR i.${IS_QUEUED}
      ORDER BY i.queue_rank NULLS FIRST, i.id LIMIT 1
    ),
    retried AS (
      UPDATE interactions i SET started_at = :at::timestamptz, begun_no = nextval('interactions_begun'), status = 'RUNNING', error = NULL, completed_at = NULL,
        added_messages = NULL, cancel_reason = NULL, cancelled_by = NULL,
        parked_signals = NULL, losses = 0, alone_losses = 0, trial = 0, progressed = false, epoch = i.epoch + 1, last_seq = i.last_seq + 1
      FROM head JOIN found ON head.id = found.id CROSS JOIN quota_usage u
      WHERE i.id = found.id AND found.is_given_up AND NOT EXISTS (SELECT FROM busy) AND NOT (${EXCEEDED})
      RETURNING i.id, i.last_seq, i.epoch, i.agent_id
    ),
    resumed AS (
      INSERT INTO records (interaction_id, seq, epoch, agent_id, type, at, body)
      SELECT id, last_seq, epoch, agent_id, 'RESUMED', :at::timestamptz, :resumed::json FROM retried
    ),
    reopened AS (
      UPDATE requests r SET status = 'pending', settled_at = NULL FROM retried WHERE r.interaction_id = retried.id AND r.status = 'closed'
    )
    SELECT found.is_given_up, (SELECT id FROM busy) AS busy_id, EXISTS (SELECT FROM head) AS is_head,
      EXISTS (SELECT FROM retried) AS retried, u.quota, u.oldest FROM found CROSS JOIN quota_usage u`,
});

interface Verdict extends ColumnsOfQuota {
  readonly is_head: boolean;
  readonly is_given_up: boolean;
  readonly busy_id: string | null;
  readonly retried: boolean;
}

export async function retryInteraction(
  db: Database,
  { interaction_id: id, resumed, quota = {}, ...retry }: RetryInteraction,
): Promise<RetryOutcome | undefined> {
  const record = JSON.stringify(resumed);
  const [, , verdicts, rows] = await db.batch<unknown>([
    [LOCK_CHAT_OF, [id]],
    [LOCK_QUOTA, [retry.tenant_id]],
    RETRY({ id, ...retry, resumed: record, ...quotaValues(quota) }),
    [FIND_INTERACTION, [id]],
  ]);
  const [verdict, row] = [verdicts?.[0] as Verdict | undefined, rows?.[0] as ColumnsOfInteraction];
  if (!verdict) return undefined;
  if (verdict.busy_id !== null) return { outcome: 'busy', active_interaction_id: verdict.busy_id };
  if (!verdict.is_given_up) return { outcome: 'not_given_up' };
  if (!verdict.is_head) return { outcome: 'not_head' };
  if (!verdict.retried) return toQuotaExceeded(verdict);
  return { outcome: 'retried', interaction: toInteractionRow(row) };
}
