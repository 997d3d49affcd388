import { RequestStore } from '../../../persistence/request.store.js';
import type {
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../../persistence/rows/request-rows.js';
import type { Database } from '../connection/database.js';
import type { ColumnsOfInteraction } from '../interactions/interaction-row.js';
import { toInteractionRow } from '../interactions/interaction-row.js';
import type { ColumnsOfRequest } from './request-row.js';
import { toRequestRow } from './request-row.js';
import {
  FIND,
  LIST_EXPIRED,
  LOCK_INTERACTION_OF,
  SELECT_REQUESTS,
  SETTLE,
} from './request-statements.js';

type Verdict = ColumnsOfInteraction & Pick<SettleOutcome, 'outcome'>;

/** What waits for people. Requests are made, and closed, by appends. */
export class TypeOrmRequestStore extends RequestStore {
  constructor(private readonly db: Database) {
    super();
  }

  async settleRequest({
    request_id,
    settlement,
    at,
    accept_expired,
  }: SettleRequest): Promise<SettleOutcome> {
    const { kind } = settlement;
    const json = JSON.stringify(settlement);
    const [, verdicts] = await this.db.batch<Verdict>([
      [LOCK_INTERACTION_OF, [request_id]],
      [SETTLE, [request_id, kind, json, at, accept_expired || settlement.by === 'timeout']],
    ]);
    const verdict = verdicts![0];
    if (!verdict) return { outcome: 'unknown' };
    if (verdict.outcome !== 'settled') return { outcome: verdict.outcome };
    return { outcome: 'settled', interaction: toInteractionRow(verdict) };
  }

  async findRequest(id: string): Promise<RequestRow | undefined> {
    const [found] = await this.db.query<ColumnsOfRequest>(FIND, [id]);
    return found && toRequestRow(found);
  }

  async listRequests(page: RequestPage): Promise<RequestRow[]> {
    const { where, values } = toConditions(page);
    const text = `${SELECT_REQUESTS} ${where} ORDER BY r.created_at, r.id LIMIT $1`;
    const rows = await this.db.query<ColumnsOfRequest>({ text }, [page.limit, ...values]);
    return rows.map(toRequestRow);
  }

  async listExpiredRequests(at: string, limit: number): Promise<RequestRow[]> {
    const rows = await this.db.query<ColumnsOfRequest>(LIST_EXPIRED, [at, limit]);
    return rows.map(toRequestRow);
  }
}

/** Values are `$2` and up. What is pending is said in words: a partial index is used only where its predicate is. */
function toConditions(page: RequestPage): { where: string; values: unknown[] } {
  const { status, chat_id, interaction_id, after } = page;
  const values: unknown[] = [];
  const add = (value: unknown) => `$${values.push(value) + 1}`;
  const conditions: string[] = [];
  if (status === 'pending') conditions.push(`r.status = 'pending'`);
  else if (status !== undefined) conditions.push(`r.status = ${add(status)}`);
  if (chat_id !== undefined) conditions.push(`r.chat_id = ${add(chat_id)}`);
  if (interaction_id !== undefined) conditions.push(`r.interaction_id = ${add(interaction_id)}`);
  if (after) {
    const { created_at, id } = after;
    conditions.push(`(r.created_at, r.id) > (${add(created_at)}::timestamptz, ${add(id)})`);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return { where, values };
}
