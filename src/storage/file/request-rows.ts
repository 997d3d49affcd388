import type { NewRequest, RequestRow } from '../../persistence/rows/request-rows.js';
import type { RequestLine, SettledRequest } from './log-lines.js';

export interface RequestOwner {
  readonly id: string;
  readonly chat_id: string;
  /** When the interaction ended, which closed what was pending. */
  readonly completed_at: string | null;
}

/** The requests of one interaction as they are now, in the order in which they were made. */
export function toRequestRows(lines: readonly RequestLine[], owner: RequestOwner): RequestRow[] {
  const settled = new Map<string, SettledRequest>();
  for (const line of lines) if ('settled' in line) settled.set(line.settled.id, line.settled);
  return lines.flatMap((line) =>
    'request' in line ? [toRow(line.request, settled.get(line.request.id), owner)] : [],
  );
}

function toRow(
  request: NewRequest,
  settled: SettledRequest | undefined,
  { id, chat_id, completed_at }: RequestOwner,
): RequestRow {
  const asked = { ...request, interaction_id: id, chat_id };
  if (settled) {
    const { settlement, settled_at } = settled;
    return { ...asked, status: 'settled', settlement, settled_at };
  }
  const status = completed_at === null ? 'pending' : 'closed';
  return { ...asked, status, settlement: null, settled_at: completed_at };
}
