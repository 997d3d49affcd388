import type { QuotaExceeded, StartQuota } from '../../../persistence/rows/start-rows.js';
import type { Statement } from '../connection/database.js';
import { IS_ACTIVE, IS_QUEUED } from './interaction-row.js';

/**
 * The starts of the tenant `$1` one after the other. Taken after the lock of the chat, so that a
 * start that waits for its chat delays no other one.
 */
export const LOCK_QUOTA: Statement = {
  name: 'quota.lock',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('quota/' || $1::text, 0))",
};

/** The predicate of the index `interactions_in_places`. */
const TAKES_PLACE = `(${IS_ACTIVE} AND (parked_signals IS NULL OR parked_signals <> signals) OR ${IS_QUEUED})`;

const latest = (table: string): string =>
  `(SELECT started_at FROM ${table} WHERE tenant_id = :tenant_id AND started_at > :quota_since::timestamptz
        ORDER BY started_at DESC LIMIT :quota_starts::bigint)`;

/** The parameters of `QUOTA_USAGE`, beside `tenant_id`. A quota that is null is none. */
export const QUOTAS = 'quota_runs, quota_starts, quota_since';

/** `quota_usage (quota, oldest)`: the first quota that is used up, or null. */
export const QUOTA_USAGE = `
  places AS (
    SELECT count(*) AS taken FROM (
      SELECT FROM interactions WHERE tenant_id = :tenant_id AND ${TAKES_PLACE} AND :quota_runs::bigint IS NOT NULL LIMIT :quota_runs::bigint
    ) i
  ),
  window_of_starts AS (
    SELECT started_at FROM (${latest('interactions')} UNION ALL ${latest('deleted_usage')}) s
    WHERE :quota_starts::bigint IS NOT NULL ORDER BY started_at DESC OFFSET coalesce(:quota_starts::bigint - 1, 0) LIMIT 1
  ),
  quota_usage AS MATERIALIZED (
    SELECT CASE
        WHEN p.taken >= :quota_runs::bigint THEN 'QUOTA_RUNS'
        WHEN w.started_at IS NOT NULL THEN 'QUOTA_STARTS_PER_MINUTE'
      END AS quota,
      CASE WHEN p.taken >= :quota_runs::bigint THEN NULL ELSE w.started_at END AS oldest
    FROM places p LEFT JOIN window_of_starts w ON true
  )`;

/** For `quota_usage u`. */
export const EXCEEDED = 'u.quota IS NOT NULL';

export function quotaValues({ runs, starts }: StartQuota) {
  return { quota_runs: runs, quota_starts: starts?.limit, quota_since: starts?.since };
}

/** The columns of `quota_usage` in an answer. */
export interface ColumnsOfQuota {
  readonly quota: QuotaExceeded['quota'] | null;
  readonly oldest: Date | null;
}

export function toQuotaExceeded({ quota, oldest }: ColumnsOfQuota): QuotaExceeded {
  return { outcome: 'quota_exceeded', quota: quota!, oldest: oldest?.toISOString() ?? null };
}
