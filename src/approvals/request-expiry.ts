import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/async/periodic.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import { RequestStore } from '../persistence/request.store.js';
import type { RequestRow, Settlement } from '../persistence/rows/request-rows.js';
import { deciderOf } from '../protocol/events.js';
import { RequestsService } from './requests.service.js';

const INTERVAL_MS = 1_000;
const BATCH = 100;
/** For the model: it is unknown if the client has run the call. */
const NO_RESULT =
  'The client did not send a result in time. It is unknown whether the call had an effect.';

/** Settles requests that have expired. */
@Injectable()
export class RequestExpiry implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly rounds: Periodic;

  constructor(
    private readonly store: RequestStore,
    private readonly requests: RequestsService,
    private readonly clock: Clock,
  ) {
    const run = (): Promise<void> => this.expireDue();
    this.rounds = new Periodic(clock, { name: 'Expiry of requests', every_ms: INTERVAL_MS, run });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  /** Settles those that have expired by now, one round at a time. */
  expire(): Promise<void> {
    return this.rounds.runNow();
  }

  private async expireDue(): Promise<void> {
    const at = this.clock.now().toISOString();
    for (const row of await this.store.listExpiredRequests(at, BATCH))
      if (!this.requests.isInDowntimeGrace(row))
        // it was answered meanwhile
        await this.requests.settle(ANY_TENANT, row, expired(row)).catch(() => {});
  }
}

const TIMED_OUT = { by: deciderOf(null), cause: 'timeout' } as const;

function expired({ kind }: RequestRow): Settlement {
  switch (kind) {
    case 'approval':
      return { kind, approved: false, ...TIMED_OUT };
    case 'input':
      return { kind, answer: null, ...TIMED_OUT };
    case 'tool':
      return { kind, tool_output: NO_RESULT, is_error: true, ...TIMED_OUT };
  }
}
