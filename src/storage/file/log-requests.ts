import type { NewRequest, RequestRow } from '../../persistence/rows/request-rows.js';
import type { FrameContent } from './log-lines.js';

/** A request as memory keeps it while its interaction goes on. */
export type OpenRequest = Pick<NewRequest, 'id' | 'key' | 'kind' | 'created_at' | 'expires_at'> & {
  readonly pending: boolean;
};

const NONE: readonly never[] = [];

/** What memory knows of an interaction's requests: which there are while it goes on, nothing but their ids once it has ended. */
export class LogRequests {
  ids: readonly string[] = NONE;
  private open: readonly OpenRequest[] = NONE;

  get pending(): readonly OpenRequest[] {
    return this.open.filter((request) => request.pending);
  }

  /** As long as the interaction goes on. */
  hasKey(key: string): boolean {
    return this.open.some((request) => request.key === key);
  }

  findPending(id: string): OpenRequest | undefined {
    return this.open.find((request) => request.pending && request.id === id);
  }

  /** After a frame was written. */
  apply({ requests = [], settled }: FrameContent, ended: boolean): void {
    if (requests.length > 0) {
      this.ids = [...this.ids, ...requests.map(({ id }) => id)];
      this.open = [...this.open, ...requests.map((request) => toOpen(request, true))];
    }
    if (settled) this.open = this.open.map((each) => (each.id === settled.id ? past(each) : each));
    if (ended) this.open = NONE;
  }

  load(rows: readonly RequestRow[], ended: boolean): void {
    this.ids = rows.map(({ id }) => id);
    this.open = ended ? NONE : rows.map((row) => toOpen(row, row.status === 'pending'));
  }
}

function toOpen(
  { id, key, kind, created_at, expires_at }: NewRequest,
  pending: boolean,
): OpenRequest {
  return { id, key, kind, created_at, expires_at, pending };
}

function past(request: OpenRequest): OpenRequest {
  return { ...request, pending: false };
}
