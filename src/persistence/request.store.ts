import type { RequestPage, RequestRow, SettleOutcome, SettleRequest } from './rows/request-rows.js';

/** Port: requests to people. They are created, and closed, by `RecordStore.append`. */
export abstract class RequestStore {
  /**
   * Settles a pending request, once, whoever comes first (I5), and counts its interaction's `signals` up. One of an interaction that is to be
   * cancelled is closed already: `settled_before`.
   */
  abstract settleRequest(settle: SettleRequest): Promise<SettleOutcome>;
  abstract findRequest(id: string): Promise<RequestRow | undefined>;
  /** Oldest first, by creation then id. */
  abstract listRequests(page: RequestPage): Promise<RequestRow[]>;
  /** Pending ones whose time is over at `at`. */
  abstract listExpiredRequests(at: string, limit: number): Promise<RequestRow[]>;
}
