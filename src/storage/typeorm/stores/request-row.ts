import type { RequestRow } from '../../../persistence/rows/request-rows.js';

/** The columns of `ColumnsOfRequest`, of the table `r`. */
export const REQUEST_COLUMNS = `r.id, r.interaction_id, r.chat_id, r.key, r.kind, r.status, r.agent_id, r.event, r.settlement,
  r.created_at, r.expires_at, r.settled_at`;

/** A request as the driver reads it. */
export interface ColumnsOfRequest extends Omit<
  RequestRow,
  'created_at' | 'expires_at' | 'settled_at'
> {
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly settled_at: Date | null;
}

export function toRequestRow(columns: ColumnsOfRequest): RequestRow {
  const { created_at, expires_at, settled_at } = columns;
  return {
    ...columns,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    settled_at: settled_at?.toISOString() ?? null,
  };
}
