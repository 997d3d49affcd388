import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import type { RequestRow } from '../persistence/rows/request-rows.js';

/** How long people have after a start to answer what was asked before it, in milliseconds. */
const GRACE_MS = 60_000;

/** Time that ran out while no server was there to take an answer doesn't count at once. */
@Injectable()
export class DowntimeGrace {
  private readonly started: Date;

  constructor(private readonly clock: Clock) {
    this.started = clock.now();
  }

  /** Whether a request may still be answered although its time is over. */
  covers({ created_at }: Pick<RequestRow, 'created_at'>): boolean {
    const since = this.clock.now().getTime() - this.started.getTime();
    return since < GRACE_MS && created_at < this.started.toISOString();
  }
}
