import type { SavedPrincipal, StreamTicket } from '../../auth/tickets/ticket-store.js';
import { TicketStore } from '../../auth/tickets/ticket-store.js';

/** Tickets of a single process; a restart forgets them. */
export class MemoryTicketStore extends TicketStore {
  private readonly tickets = new Map<string, StreamTicket>();

  async add(ticket: StreamTicket, now: string, limit: number): Promise<boolean> {
    for (const { hash, expires_at } of this.tickets.values())
      if (expires_at <= now) this.tickets.delete(hash);
    const { tenant_id, user_id } = ticket.principal;
    const own = [...this.tickets.values()].filter(
      ({ principal }) => principal.tenant_id === tenant_id && principal.user_id === user_id,
    );
    if (own.length >= limit) return false;
    this.tickets.set(ticket.hash, ticket);
    return true;
  }

  async take(
    { hash, path }: Pick<StreamTicket, 'hash' | 'path'>,
    now: string,
  ): Promise<SavedPrincipal | undefined> {
    const ticket = this.tickets.get(hash);
    if (ticket?.path !== path || ticket.expires_at <= now) return undefined;
    this.tickets.delete(hash);
    return ticket.principal;
  }
}
