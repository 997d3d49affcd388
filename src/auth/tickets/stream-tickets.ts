import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.js';
import { invalidCredential } from '../auth-errors.js';
import { hashSecret } from '../keys/key-text.js';
import type { Principal } from '../principal.js';
import { TicketStore } from './ticket-store.js';
import type { IssuedTicket } from './issued-ticket.js';

/** Event streams, and contents of files. */
const STREAM =
  /^\/(?:events|chats\/[^/]+\/(?:events|interactions\/[^/]+\/events)|files\/[^/]+\/content)$/;

const LIFETIME_MS = 60_000;
/** Unused tickets of one user. */
const MAX_TICKETS = 100;

/** Credentials for one GET of one path, short-lived enough to stand in a URL. */
@Injectable()
export class StreamTickets {
  constructor(
    private readonly store: TicketStore,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `no_stream` (400), `too_many_tickets` (429) */
  async issue(path: string, { scopes, ...principal }: Principal): Promise<IssuedTicket> {
    if (!isStreamPath(path)) throw noStream();
    const ticket = randomBytes(32).toString('hex');
    const now = this.clock.now();
    const expires_at = new Date(now.getTime() + LIFETIME_MS).toISOString();
    const saved = { ...principal, scopes: [...scopes] };
    const added = await this.store.add(
      { hash: hashSecret(ticket), path, principal: saved, expires_at },
      now.toISOString(),
      MAX_TICKETS,
    );
    if (added) return { ticket, expires_at };
    throw new AppError(
      'rate_limited',
      'too_many_tickets',
      `You have ${MAX_TICKETS} unused tickets. Use them, or wait until they expire.`,
    );
  }

  /** @throws AppError `invalid_credential` (401), also for a ticket that was used */
  async redeem(
    ticket: string,
    { method, path }: { method: string; path: string },
  ): Promise<Principal> {
    const refused = invalidCredential(
      'A ticket is for one GET of its path, within 60 s. Get another one with POST /stream-tickets.',
    );
    if (method !== 'GET') throw refused;
    const wanted = { hash: hashSecret(ticket), path };
    const saved = await this.store.take(wanted, this.clock.now().toISOString());
    if (!saved) throw refused;
    return { ...saved, scopes: new Set(saved.scopes) };
  }
}

function noStream(): AppError {
  const message =
    'has to be that of an event stream (…/events) or of the content of a file. Send your credential with other requests';
  return new AppError('invalid', 'no_stream', `path ${message}.`, {
    errors: [{ field: 'path', message }],
  });
}

/** True for a path, without its query, that browsers open without headers. */
function isStreamPath(path: string): boolean {
  return STREAM.test(path);
}
