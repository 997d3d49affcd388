import type { AnyViewer } from './viewer.js';
import type {
  PendingCount,
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from './rows/request-rows.js';

/** Port: requests to people. `RecordStore.append` creates and closes them. */
export abstract class RequestStore {
  /**
   * Settles a pending request exactly once: the first caller wins (I5). Increments `signals` of its
   * interaction. A request of an interaction that is to be cancelled counts as closed:
   * `settled_before`.
   */
  abstract settleRequest(settle: SettleRequest): Promise<SettleOutcome>;
  abstract findRequest(id: string, viewer: AnyViewer): Promise<RequestRow | undefined>;
  /** Requests of chats that the viewer sees, oldest first, by creation time, then id. */
  abstract listRequests(page: RequestPage): Promise<RequestRow[]>;
  /** Pending requests that have expired at `at`. */
  abstract listExpiredRequests(at: string, limit: number): Promise<RequestRow[]>;
  /** Kinds that have none are missing. Beyond `limit` requests, the others do not count. */
  abstract countPendingRequests(limit: number): Promise<PendingCount[]>;
}
