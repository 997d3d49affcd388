import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import { StreamTickets } from '../../auth/tickets/stream-tickets.js';
import { Clock } from '../../kernel/clock.js';
import type { FileRow } from '../file-catalog.js';
import { keyOf } from '../file-key.js';
import { FileStore } from '../file-store.js';
import { presentationOf } from './presentation.js';

const LIFETIME_S = 60;

export interface FileUrl {
  readonly url: string;
  readonly expires_at: string;
}

/** URLs that give a file to anyone who has them, for a minute. */
@Injectable()
export class FileUrls {
  constructor(
    private readonly bytes: FileStore,
    private readonly tickets: StreamTickets,
    private readonly clock: Clock,
  ) {}

  /**
   * A URL of the store, or where it can't make one, a path of this server with a ticket.
   * @throws AppError `too_many_tickets` (429)
   */
  async make(caller: Principal, file: FileRow): Promise<FileUrl> {
    const expires = new Date(this.clock.now().getTime() + LIFETIME_S * 1000);
    const as = { ...presentationOf(file), expires_in_s: LIFETIME_S };
    const url = await this.bytes.presign(keyOf(file), as);
    if (url !== undefined) return { url, expires_at: expires.toISOString() };
    const path = `/files/${file.id}/content`;
    const { ticket, expires_at } = await this.tickets.issue(path, caller);
    return { url: `${path}?ticket=${ticket}`, expires_at };
  }
}
