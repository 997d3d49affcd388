import type {
  NewRequest,
  RequestPage,
  RequestRow,
  SettleRequest,
} from '../../src/persistence/rows/request-rows.js';
import type { InteractionRow } from '../../src/persistence/rows/store-rows.js';
import { copy } from './memory-rows.js';

type Refusal = 'unknown' | 'settled_before' | 'expired';
type SortKey = { readonly created_at: string; readonly id: string };

/** The requests of a `MemoryStore`. */
export class MemoryRequests {
  private readonly rows = new Map<string, RequestRow>();

  add({ id, chat_id }: InteractionRow, requests: readonly NewRequest[]): void {
    for (const request of requests) {
      if (this.of(id).some(({ key }) => key === request.key)) continue;
      const asked = { ...request, interaction_id: id, chat_id };
      const row = { ...asked, status: 'pending', settlement: null, settled_at: null } as const;
      this.rows.set(request.id, copy(row));
    }
  }

  find(id: string): RequestRow | undefined {
    return this.rows.get(id);
  }

  /** Why it can't be settled, or the row as it is now. */
  settle(
    { request_id, settlement, at, accept_expired }: SettleRequest,
    isCancelled: boolean,
  ): RequestRow | Refusal {
    const row = this.rows.get(request_id);
    if (row?.kind !== settlement.kind) return 'unknown';
    if (row.status !== 'pending' || isCancelled) return 'settled_before';
    if (isOver(row, at) && !accept_expired && settlement.by !== 'timeout') return 'expired';
    const settled: RequestRow = copy({ ...row, status: 'settled', settlement, settled_at: at });
    this.rows.set(request_id, settled);
    return settled;
  }

  close(interactionId: string, at: string): void {
    for (const row of this.of(interactionId)) {
      if (row.status === 'pending')
        this.rows.set(row.id, { ...row, status: 'closed', settled_at: at });
    }
  }

  delete(interactionId: string): void {
    for (const { id } of this.of(interactionId)) this.rows.delete(id);
  }

  list({ limit, after, ...wanted }: RequestPage): RequestRow[] {
    const filters = Object.entries(wanted) as [keyof RequestRow, unknown][];
    return [...this.rows.values()]
      .filter((row) => filters.every(([field, value]) => row[field] === value))
      .filter((row) => !after || placeOf(row) > placeOf(after))
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
      .slice(0, limit);
  }

  listExpired(at: string, limit: number): RequestRow[] {
    const pending = this.list({ status: 'pending', limit: Infinity });
    const expiryOf = (row: RequestRow) => placeOf({ ...row, created_at: row.expires_at ?? '' });
    return pending
      .filter((row) => isOver(row, at))
      .sort((a, b) => (expiryOf(a) < expiryOf(b) ? -1 : 1))
      .slice(0, limit);
  }

  private of(interactionId: string): RequestRow[] {
    return [...this.rows.values()].filter((row) => row.interaction_id === interactionId);
  }
}

function isOver({ expires_at }: RequestRow, at: string): boolean {
  return expires_at !== null && at >= expires_at;
}

function placeOf({ created_at, id }: SortKey): string {
  return created_at + id;
}
