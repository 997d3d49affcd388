import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { RequestStore } from '../persistence/request.store.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import type { RequestKind, RequestRow, Settlement } from '../persistence/rows/request-rows.js';
import { RunQueue } from '../queue/run-queue.js';
import { alreadyProcessed } from './already-processed.js';
import { DowntimeGrace } from './downtime-grace.js';

/** The interaction that a request has to belong to. */
export interface RequestOwner {
  readonly chat_id: string;
  readonly interaction_id: string;
}

/** Finds requests, and settles each at most once (I5). */
@Injectable()
export class SettleService {
  constructor(
    private readonly requests: RequestStore,
    private readonly bus: LiveBus,
    private readonly queue: RunQueue,
    private readonly clock: Clock,
    private readonly grace: DowntimeGrace,
  ) {}

  /** @throws AppError `request_not_found` (404), also when it belongs to another interaction or is of another kind */
  async find(id: string, kind: RequestKind, owner: RequestOwner): Promise<RequestRow> {
    const row = await this.requests.findRequest(id);
    const isTheirs = row?.chat_id === owner.chat_id && row.interaction_id === owner.interaction_id;
    if (!isTheirs) throw notFound(id, owner);
    if (row.kind === kind) return row;
    throw new AppError('not_found', 'request_not_found', describeOtherKind(row));
  }

  /**
   * Settles it and has its run go on, wherever it is.
   * @throws AppError `already_processed` with the `decision` that counts, `request_expired` (400), `request_not_found` (404)
   */
  async settle(row: RequestRow, settlement: Settlement): Promise<void> {
    const at = this.clock.now().toISOString();
    const { outcome } = await this.requests.settleRequest({
      request_id: row.id,
      settlement,
      at,
      accept_expired: this.grace.covers(row),
    });
    switch (outcome) {
      case 'settled':
        this.bus.wake(row.interaction_id);
        this.queue.enqueue(row.interaction_id); // for a run that is parked
        return;
      case 'settled_before':
        throw alreadyProcessed(await this.requests.findRequest(row.id));
      case 'expired':
        throw new AppError(
          'invalid',
          'request_expired',
          `This request expired at ${row.expires_at}.`,
        );
      case 'unknown':
        throw notFound(row.id, row);
    }
  }
}

function notFound(id: string, { chat_id, interaction_id }: RequestOwner): AppError {
  return new AppError(
    'not_found',
    'request_not_found',
    `The interaction ${interaction_id} of the chat ${chat_id} has no such request: ${id}. GET /requests lists what waits.`,
  );
}

/** To somebody who has the right request and the wrong endpoint. */
export function describeOtherKind({ id, kind }: RequestRow): string {
  switch (kind) {
    case 'approval':
      return `${id} is an approval: POST …/approve decides it.`;
    case 'input':
      return `${id} is a question: POST …/respond answers it.`;
    case 'tool':
      return `${id} waits for the result of a tool that the client runs: POST …/tool-results takes it.`;
  }
}
