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
import { inSeenChat, viewerValues, VIEWER } from '../viewer-sql.js';
import type { Database, Statement } from '../connection/database.js';
import { columnsOf, named } from '../named-statement.js';
import { INTERACTION_COLUMNS, toInteractionRow } from '../interactions/interaction-row.js';
import type { ColumnsOfInteraction } from '../interactions/interaction-row.js';
import type { RequestStatus } from '../../../protocol/wire/request.js';

/** The columns of `ColumnsOfRequest`. */
export const REQUEST_COLUMNS =
  'id, interaction_id, chat_uid, chat_id, tenant_id, key, kind, status, agent_id, event, settlement, created_at, expires_at, settled_at';

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

const SELECT_REQUESTS = `SELECT ${columnsOf('r', REQUEST_COLUMNS)} FROM requests r`;

/** The rows of a page up to the one with which they have more than `:bytes`, if that is set. */
function upToBytes(page: string): string {
  return `SELECT ${columnsOf('r', REQUEST_COLUMNS)} FROM (
      SELECT *, sum(p.bytes) OVER (ORDER BY p.created_at, p.id) - p.bytes AS before FROM (${page}) p
    ) r WHERE :bytes::bigint IS NULL OR r.before <= :bytes ORDER BY r.created_at, r.id`;
}

const FIND = named({
  name: 'requests.find',
  parameters: `id, ${VIEWER}`,
  text: `${SELECT_REQUESTS} WHERE r.id = :id AND ${inSeenChat('r')}`,
});

const PAGE = 'chat_uid, interaction_id, after_at, after_id, limit, bytes';

function pageOf(condition: string): string {
  return upToBytes(`SELECT * FROM requests r WHERE ${condition}
      AND (:chat_uid::uuid IS NULL OR r.chat_uid = :chat_uid) AND (:interaction_id::text IS NULL OR r.interaction_id = :interaction_id)
      AND (:after_at::timestamptz IS NULL OR (r.created_at, r.id) > (:after_at, :after_id)) ORDER BY r.created_at, r.id LIMIT :limit`);
}

/** Two statements: a condition on the chats that is true for all would still read each of them. */
function listsOf(status: string) {
  return {
    all: named({
      parameters: `any_tenant, tenant_id, ${PAGE}`,
      text: pageOf(`${status} AND (:any_tenant::boolean OR r.tenant_id = :tenant_id)`),
    }),
    seen: named({
      parameters: `${VIEWER}, ${PAGE}`,
      text: pageOf(`${status} AND r.tenant_id = :tenant_id AND ${inSeenChat('r')}`),
    }),
  };
}

/** A status is a literal: a partial index is used only if its predicate occurs in the query. */
const LISTS = {
  any: listsOf('true'),
  pending: listsOf("r.status = 'pending'"),
  settled: listsOf("r.status = 'settled'"),
  closed: listsOf("r.status = 'closed'"),
} satisfies Record<RequestStatus | 'any', unknown>;

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

/** Requires that lock. Settles the request (I5), or returns the obstacle. */
const SETTLE = named({
  name: 'requests.settle',
  parameters: 'id, tenant_id, kind, settlement, at, accept_expired',
  text: `
    WITH verdict AS MATERIALIZED (
      SELECT r.id, CASE
          WHEN r.kind <> :kind THEN 'unknown'
          WHEN r.status <> 'pending' OR i.cancel_reason IS NOT NULL THEN 'settled_before'
          WHEN r.expires_at <= :at::timestamptz AND NOT :accept_expired::boolean THEN 'expired'
          ELSE 'settled'
        END AS outcome
      FROM requests r JOIN interactions i ON i.id = r.interaction_id WHERE r.id = :id AND r.tenant_id = :tenant_id
    ),
    settled AS (
      UPDATE requests r SET status = 'settled', settlement = :settlement::json, settled_at = :at::timestamptz
      FROM verdict v WHERE r.id = v.id AND v.outcome = 'settled' AND r.status = 'pending' RETURNING r.interaction_id
    ),
    signalled AS (
      UPDATE interactions i SET signals = i.signals + 1 FROM settled s WHERE i.id = s.interaction_id RETURNING ${INTERACTION_COLUMNS}
    )
    SELECT v.outcome, s.* FROM verdict v LEFT JOIN signalled s ON true`,
});

type Verdict = ColumnsOfInteraction & Pick<SettleOutcome, 'outcome'>;

/** Requests to people in Postgres. Appends create and close them. */
export class TypeOrmRequestStore extends RequestStore {
  constructor(private readonly db: Database) {
    super();
  }

  async settleRequest(settle: SettleRequest): Promise<SettleOutcome> {
    const { request_id: id, tenant_id, settlement, at } = settle;
    const { kind, cause } = settlement;
    const accept_expired = settle.accept_expired || cause === 'timeout';
    const json = JSON.stringify(settlement);
    const [, verdicts] = await this.db.runs.batch<Verdict>([
      [LOCK_INTERACTION_OF, [id, tenant_id]],
      SETTLE({ id, tenant_id, kind, settlement: json, at, accept_expired }),
    ]);
    const verdict = verdicts![0];
    if (!verdict) return { outcome: 'unknown' };
    if (verdict.outcome !== 'settled') return { outcome: verdict.outcome };
    return { outcome: 'settled', interaction: toInteractionRow(verdict) };
  }

  async findRequest(id: string, viewer: AnyViewer): Promise<RequestRow | undefined> {
    const [found] = await this.db.query<ColumnsOfRequest>(...FIND({ id, ...viewerValues(viewer) }));
    return found && toRequestRow(found);
  }

  async listRequests(page: RequestPage): Promise<RequestRow[]> {
    const { viewer, status = 'any', chat_uid, interaction_id, after, limit, bytes } = page;
    const { all, seen } = LISTS[status];
    const list = viewer === ANY_TENANT || viewer.is_admin ? all : seen;
    const place = { after_at: after?.created_at, after_id: after?.id };
    const values = { chat_uid, interaction_id, ...place, limit, bytes, ...viewerValues(viewer) };
    return (await this.db.query<ColumnsOfRequest>(...list(values))).map(toRequestRow);
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
