import type { RequestRow } from '../persistence/rows/request-rows.js';
import type { RequestView } from '../protocol/wire/request.js';

export function viewRequest(row: RequestRow): RequestView {
  const { id, kind, status, chat_id, interaction_id, agent_id, created_at, expires_at } = row;
  const { event, settled_at, settlement } = row;
  const own = { id, kind, status, chat_id, interaction_id, agent_id, created_at, expires_at };
  const name = kind === 'approval' ? 'approval_id' : 'request_id';
  return { ...own, settled_at, settlement, [name]: id, ...event };
}
