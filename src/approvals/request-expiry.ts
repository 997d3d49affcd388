import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { RequestStore } from '../persistence/request.store.js';
import type { RequestRow, Settlement } from '../persistence/rows/request-rows.js';
import { DowntimeGrace } from './downtime-grace.js';
import { SettleService } from './settle.service.js';

const INTERVAL_MS = 1_000;
const BATCH = 100;
/** What the model is told of a call that the client was to run. Whether it did is more than we know. */
const NO_RESULT =
  'The client did not send a result in time. It is unknown whether the call had an effect.';

/** Settles requests whose time is over. */
@Injectable()
export class RequestExpiry implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private busy = false;

  constructor(
    private readonly requests: RequestStore,
    private readonly settling: SettleService,
    private readonly clock: Clock,
    private readonly grace: DowntimeGrace,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.expire(), INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Settles those that are due by now, one round at a time. */
  async expire(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      const at = this.clock.now().toISOString();
      for (const row of await this.requests.listExpiredRequests(at, BATCH))
        if (!this.grace.covers(row)) await this.settling.settle(row, expired(row)).catch(() => {}); // somebody was faster
    } catch {
      // The store is away; the next round comes.
    } finally {
      this.busy = false;
    }
  }
}

function expired({ kind }: RequestRow): Settlement {
  switch (kind) {
    case 'approval':
      return { kind, approved: false, by: 'timeout' };
    case 'input':
      return { kind, answer: null, by: 'timeout' };
    case 'tool':
      return { kind, tool_output: NO_RESULT, is_error: true, by: 'timeout' };
  }
}
