import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal, Scope } from '../auth/principal.js';
import { BoundedMap } from '../kernel/bounded-map.js';
import { Clock } from '../kernel/clock.js';

/** A user's refusals of one route or operation are noted this often, in milliseconds. */
const NOTE_INTERVAL_MS = 60_000;
const MAX_NOTED = 1_000;

export type Refusal = {
  readonly code: string;
  /** The missing scope. */
  readonly scope?: Scope;
} & (
  | {
      /** Such as `GET /keys`. */
      readonly route: string;
    }
  | {
      /** A method of `ParleyOperations`. */
      readonly operation: string;
    }
);

/** Notes in the audit trail what was refused (403), by a guard or by a service. */
@Injectable()
export class Refusals {
  /** Time of the last entry, by user and route or operation. */
  private readonly noted = new BoundedMap<string, number>(MAX_NOTED);

  constructor(
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Not every time: a client can make any number of requests. Never rejects. */
  async note(principal: Principal, refusal: Refusal): Promise<void> {
    const target = 'route' in refusal ? refusal.route : refusal.operation;
    const key = JSON.stringify([principal.tenant_id, principal.user_id, target]);
    const now = this.clock.monotonic();
    if (now - (this.noted.get(key) ?? -Infinity) < NOTE_INTERVAL_MS) return;
    this.noted.set(key, now);
    await this.audit.note(principal, 'access.refused', { detail: refusal });
  }
}
