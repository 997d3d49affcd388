import { RequestStore } from '../../../persistence/request.store.js';
import type {
  PendingCount,
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../../persistence/rows/request-rows.js';
import { ANY_TENANT } from '../../../persistence/any-tenant.js';
import type { AnyViewer } from '../../../persistence/viewer.js';
import { inSeenChat, viewerValues } from '../viewer-sql.js';
import type { Database, Statement } from '../connection/database.js';
import { INTERACTION_COLUMNS, toInteractionRow } from '../interactions/interaction-row.js';
import type { ColumnsOfInteraction } from '../interactions/interaction-row.js';
import type { RequestStatus } from '../../../protocol/wire/request.js';

/** The columns of `ColumnsOfRequest`, of the table `r`. */
const REQUEST_COLUMNS = `r.id, r.interaction_id, r.chat_uid, r.chat_id, r.tenant_id, r.key, r.kind, r.status, r.agent_id, r.event, r.settlement,
  r.created_at, r.expires_at, r.settled_at`;

/** A request as the driver reads it. */
interface ColumnsOfRequest extends Omit<RequestRow, 'created_at' | 'expires_at' | 'settled_at'> {
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly settled_at: Date | null;
}

function toRequestRow(columns: ColumnsOfRequest): RequestRow {
  const { created_at, expires_at, settled_at } = columns;
  return {
    ...columns,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    settled_at: settled_at?.toISOString() ?? null,
  };
}

const SELECT_REQUESTS = `SELECT ${REQUEST_COLUMNS} FROM requests r`;

/** The rows of a page up to the one with which they have more than `$2` bytes, if that is set. */
function upToBytes(page: string): string {
  return `SELECT ${REQUEST_COLUMNS} FROM (
      SELECT *, sum(p.bytes) OVER (ORDER BY p.created_at, p.id) - p.bytes AS before FROM (${page}) p
    ) r WHERE $2::bigint IS NULL OR r.before <= $2 ORDER BY r.created_at, r.id`;
}

const FIND: Statement = {
  name: 'requests.find',
  text: `${SELECT_REQUESTS} WHERE r.id = $1 AND ${inSeenChat('r', 2)}`,
};

const LIST_EXPIRED: Statement = {
  text: `${SELECT_REQUESTS} WHERE r.status = 'pending' AND r.expires_at <= $1 ORDER BY r.expires_at, r.id LIMIT $2`,
};

/** Without an order, so that it reads no more than the limit. */
const COUNT_PENDING: Statement = {
  name: 'requests.count_pending',
  text: `
    SELECT r.kind, count(*)::integer AS count, min(r.created_at) AS oldest
    FROM (SELECT kind, created_at FROM requests WHERE status = 'pending' LIMIT $1) r GROUP BY r.kind`,
};

/** Locks the interaction before the request, as an append that ends the interaction does. */
const LOCK_INTERACTION_OF: Statement = {
  name: 'requests.lock_interaction_of',
  text: `SELECT id FROM interactions WHERE id = (SELECT interaction_id FROM requests WHERE id = $1 AND tenant_id = $2) FOR NO KEY UPDATE`,
};

/**
 * Requires that lock. Settles the request (I5), or returns the obstacle. `$4` is the current time;
 * `$5` accepts expired requests, `$6` is the tenant.
 */
const SETTLE: Statement = {
  name: 'requests.settle',
  text: `
    WITH verdict AS MATERIALIZED (
      SELECT r.id, CASE
          WHEN r.kind <> $2 THEN 'unknown'
          WHEN r.status <> 'pending' OR i.cancel_reason IS NOT NULL THEN 'settled_before'
          WHEN r.expires_at <= $4::timestamptz AND NOT $5::boolean THEN 'expired'
          ELSE 'settled'
        END AS outcome
      FROM requests r JOIN interactions i ON i.id = r.interaction_id WHERE r.id = $1 AND r.tenant_id = $6
    ),
    settled AS (
      UPDATE requests r SET status = 'settled', settlement = $3::json, settled_at = $4::timestamptz
      FROM verdict v WHERE r.id = v.id AND v.outcome = 'settled' AND r.status = 'pending' RETURNING r.interaction_id
    ),
    signalled AS (
      UPDATE interactions i SET signals = i.signals + 1 FROM settled s WHERE i.id = s.interaction_id RETURNING ${INTERACTION_COLUMNS}
    )
    SELECT v.outcome, s.* FROM verdict v LEFT JOIN signalled s ON true`,
};

type Verdict = ColumnsOfInteraction & Pick<SettleOutcome, 'outcome'>;

/** Requests to people in Postgres. Appends create and close them. */
export class TypeOrmRequestStore extends RequestStore {
  constructor(private readonly db: Database) {
    super();
  }

  async settleRequest(settle: SettleRequest): Promise<SettleOutcome> {
    const { request_id, tenant_id, settlement, at } = settle;
    const { kind, cause } = settlement;
    const isLateAccepted = settle.accept_expired || cause === 'timeout';
    const json = JSON.stringify(settlement);
    const [, verdicts] = await this.db.runs.batch<Verdict>([
      [LOCK_INTERACTION_OF, [request_id, tenant_id]],
      [SETTLE, [request_id, kind, json, at, isLateAccepted, tenant_id]],
    ]);
    const verdict = verdicts![0];
    if (!verdict) return { outcome: 'unknown' };
    if (verdict.outcome !== 'settled') return { outcome: verdict.outcome };
    return { outcome: 'settled', interaction: toInteractionRow(verdict) };
  }

  async findRequest(id: string, viewer: AnyViewer): Promise<RequestRow | undefined> {
    const [found] = await this.db.query<ColumnsOfRequest>(FIND, [id, ...viewerValues(viewer)]);
    return found && toRequestRow(found);
  }

  async listRequests(page: RequestPage): Promise<RequestRow[]> {
    const { where, values } = toConditions(page);
    const text = upToBytes(
      `SELECT * FROM requests r ${where} ORDER BY r.created_at, r.id LIMIT $1`,
    );
    const rows = await this.db.query<ColumnsOfRequest>({ text }, [
      page.limit,
      page.bytes,
      ...values,
    ]);
    return rows.map(toRequestRow);
  }

  async listExpiredRequests(at: string, limit: number): Promise<RequestRow[]> {
    const rows = await this.db.runs.query<ColumnsOfRequest>(LIST_EXPIRED, [at, limit]);
    return rows.map(toRequestRow);
  }

  async countPendingRequests(limit: number): Promise<PendingCount[]> {
    type Columns = Omit<PendingCount, 'oldest'> & { readonly oldest: Date };
    const rows = await this.db.query<Columns>(COUNT_PENDING, [limit]);
    return rows.map(({ oldest, ...count }) => ({ ...count, oldest: oldest.toISOString() }));
  }
}

const HAS_STATUS: Readonly<Record<RequestStatus, string>> = {
  pending: "r.status = 'pending'",
  settled: "r.status = 'settled'",
  closed: "r.status = 'closed'",
};

/**
 * Values begin at `$3`. A status is a literal: a partial index is used only if its predicate occurs
 * in the query.
 */
function toConditions(page: RequestPage): { where: string; values: unknown[] } {
  const { viewer, status, chat_uid, interaction_id, after } = page;
  const values: unknown[] = [];
  const add = (value: unknown) => `$${values.push(value) + 2}`;
  const conditions: string[] = [];
  if (viewer !== ANY_TENANT) conditions.push(`r.tenant_id = ${add(viewer.tenant_id)}`);
  if (viewer !== ANY_TENANT && !viewer.is_admin)
    conditions.push(inSeenChat('r', values.push(...viewerValues(viewer)) - 1));
  if (status !== undefined) conditions.push(HAS_STATUS[status]);
  if (chat_uid !== undefined) conditions.push(`r.chat_uid = ${add(chat_uid)}`);
  if (interaction_id !== undefined) conditions.push(`r.interaction_id = ${add(interaction_id)}`);
  if (after) {
    const { created_at, id } = after;
    conditions.push(`(r.created_at, r.id) > (${add(created_at)}::timestamptz, ${add(id)})`);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return { where, values };
}
