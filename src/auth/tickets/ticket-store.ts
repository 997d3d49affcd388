import type { Principal, Scope } from '../principal.js';

/** A principal as JSON. */
export interface SavedPrincipal extends Omit<Principal, 'scopes'> {
  readonly scopes: readonly Scope[];
}

export interface StreamTicket {
  /** SHA-256 of the ticket, in hex. */
  readonly hash: string;
  /** The path that it opens, without a query. */
  readonly path: string;
  readonly principal: SavedPrincipal;
  /** ISO 8601. */
  readonly expires_at: string;
}

/**
 * Port: tickets that were not used yet, shared by all processes. A rejection means that the store
 * is unavailable or broken.
 */
export abstract class TicketStore {
  /**
   * Forgets what had expired at `now` (ISO 8601). Returns false if the user has `limit` tickets.
   */
  abstract add(ticket: StreamTicket, now: string, limit: number): Promise<boolean>;
  /**
   * Removes a ticket and returns its principal; undefined if there is none of that path that is
   * valid at `now`. Of several calls, on any process, one gets it.
   */
  abstract take(
    ticket: Pick<StreamTicket, 'hash' | 'path'>,
    now: string,
  ): Promise<SavedPrincipal | undefined>;
}
