import { USAGE_DAYS_KEPT } from '../../../quotas/usage-store.js';
import type { Database, Statement } from '../connection/database.js';
import { LONGEST_IMPORT } from './incoming-chat.js';

/** Records in one statement: few enough that other statements wait only milliseconds. */
const SLICE = 500;
const LOGS = 50;

/** Longer than a day, the longest that a quota looks back, since clocks differ. */
export const USAGE_KEPT = '25 hours';

const SWEEP_USAGE: Statement = {
  text: `DELETE FROM deleted_usage WHERE started_at < clock_timestamp() - interval '${USAGE_KEPT}'`,
};

const SWEEP_USAGE_DAYS: Statement = {
  text: `DELETE FROM deleted_usage_days WHERE day < current_date - ${USAGE_DAYS_KEPT}`,
};

const SWEEP_INCOMING: Statement = {
  text: `DELETE FROM incoming_chats WHERE begun_at < clock_timestamp() - interval '${LONGEST_IMPORT}'`,
};

/**
 * Removes records of a few loose logs, and the logs that have no more. Processes that do so at the
 * same time skip each other's. A loose record stays in its place, and reading it from there spares
 * the planner a join for which it may read the whole table.
 */
const REMOVE_SLICE: Statement = {
  text: `
    WITH loose AS MATERIALIZED (
      SELECT interaction_id FROM loose_logs WHERE remove_at <= clock_timestamp()
      ORDER BY remove_at, interaction_id LIMIT ${LOGS} FOR UPDATE SKIP LOCKED
    ),
    slice AS MATERIALIZED (
      SELECT r.place FROM loose l CROSS JOIN LATERAL (
        SELECT ctid AS place FROM records WHERE interaction_id = l.interaction_id ORDER BY seq LIMIT ${SLICE}
      ) r LIMIT ${SLICE}
    ),
    removed AS (DELETE FROM records WHERE ctid = ANY (ARRAY(SELECT place FROM slice))),
    done AS (
      DELETE FROM loose_logs l USING loose
      WHERE l.interaction_id = loose.interaction_id AND (SELECT count(*) FROM slice) < ${SLICE}
    )
    SELECT FROM loose`,
};

/**
 * Removes, slice by slice, the records of deleted chats and of imports that were not completed.
 * False: there were none.
 */
export async function removeLeftovers(db: Database, signal: AbortSignal): Promise<boolean> {
  await db.query(SWEEP_INCOMING, []);
  await db.query(SWEEP_USAGE, []);
  await db.query(SWEEP_USAGE_DAYS, []);
  let found = false;
  while (!signal.aborted && (await db.query(REMOVE_SLICE, [])).length > 0) found = true;
  return found;
}
