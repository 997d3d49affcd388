import type { SavedPrincipal, StreamTicket } from '../../../auth/tickets/ticket-store.js';
import { TicketStore } from '../../../auth/tickets/ticket-store.js';
import type { Database, Statement } from '../connection/database.js';
import { named } from '../named-statement.js';

/** Processes that sweep at once don't wait for each other. */
const SWEEP: Statement = {
  name: 'tickets.sweep',
  text: `DELETE FROM stream_tickets WHERE hash IN
    (SELECT hash FROM stream_tickets WHERE expires_at <= $1 LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
};

/** Additions of one user are serialized, so that the limit holds. */
const LOCK: Statement = {
  name: 'tickets.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('stream_tickets/' || $1::text, 0))`,
};

const ADD = named({
  name: 'tickets.add',
  parameters: 'hash, path, holder, principal, expires_at, limit',
  text: `INSERT INTO stream_tickets (hash, path, holder, principal, expires_at) SELECT :hash, :path, :holder, :principal, :expires_at
    WHERE (SELECT count(*) FROM stream_tickets WHERE holder = :holder) < :limit RETURNING hash`,
});

const TAKE: Statement = {
  name: 'tickets.take',
  text: 'DELETE FROM stream_tickets WHERE hash = $1 AND path = $2 AND expires_at > $3 RETURNING principal',
};

/** Tickets in Postgres, on a server or embedded. */
export class TypeOrmTicketStore extends TicketStore {
  constructor(private readonly db: Database) {
    super();
  }

  async add(ticket: StreamTicket, now: string, limit: number): Promise<boolean> {
    const { tenant_id, user_id } = ticket.principal;
    const holder = JSON.stringify([tenant_id, user_id]);
    const principal = JSON.stringify(ticket.principal);
    const [, , added] = await this.db.batch([
      [SWEEP, [now]],
      [LOCK, [holder]],
      ADD({ ...ticket, holder, principal, limit }),
    ]);
    return (added?.length ?? 0) > 0;
  }

  async take(
    { hash, path }: Pick<StreamTicket, 'hash' | 'path'>,
    now: string,
  ): Promise<SavedPrincipal | undefined> {
    const [taken] = await this.db.query<{ principal: SavedPrincipal }>(TAKE, [hash, path, now]);
    return taken?.principal;
  }
}
