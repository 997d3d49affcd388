import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AuditTrail } from '../audit/audit-trail.js';
import { BoundedMap } from '../kernel/bounded-map.js';
import type { Principal } from '../auth/principal.js';
import { problemOf } from '../http/errors/problem-of.js';
import { Clock } from '../kernel/clock.js';

/** A user's refusals on one route are noted this often, in milliseconds. */
const NOTED_MS = 60_000;
const MAX_NOTED = 1_000;

/** Notes in the audit trail which requests were refused (403), by the guard or by a service. */
@Injectable()
export class Refusals {
  /** Time of the last entry, by user and route. */
  private readonly noted = new BoundedMap<string, number>(MAX_NOTED);

  constructor(
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Call once for a request that has a principal. */
  watch(principal: Principal, { method, route }: Request, response: Response): void {
    response.once('close', () => {
      const problem = problemOf(response);
      if (problem?.status !== 403) return;
      const { scope } = problem as { readonly scope?: string };
      const code = problem.type.slice('/problems/'.length);
      const path = `${method} ${(route as { readonly path: string }).path}`;
      this.note(principal, { code, route: path, ...(scope !== undefined && { scope }) });
    });
  }

  /** Not every time: a client can make any number of requests. */
  private note(principal: Principal, detail: Readonly<Record<'code' | 'route', string>>): void {
    const key = JSON.stringify([principal.tenant_id, principal.user_id, detail.route]);
    const now = this.clock.monotonic();
    if (now - (this.noted.get(key) ?? -Infinity) < NOTED_MS) return;
    this.noted.set(key, now);
    void this.audit.note(principal, 'access.refused', { detail });
  }
}
