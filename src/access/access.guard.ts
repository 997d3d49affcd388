import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AuditTrail } from '../audit/audit-trail.js';
import { missingScope, unauthenticated } from '../auth/auth-errors.js';
import { principalOf } from '../auth/caller.decorator.js';
import { BoundedMap } from '../auth/keys/bounded-map.js';
import type { Principal, Scope } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { ACCESS, ALSO_NEEDS } from './access.decorator.js';
import type { Condition, RequiredAccess } from './access.decorator.js';

/** A user's refusals on one route are noted this often, in milliseconds. */
const NOTED_MS = 60_000;
const MAX_NOTED = 1_000;

/** Lets a request pass if its principal has the scopes that `@Access` and `@AlsoNeeds` name. */
@Injectable()
export class AccessGuard implements CanActivate {
  /** Time of the last entry in the audit trail, by user and route. */
  private readonly noted = new BoundedMap<string, number>(MAX_NOTED);

  constructor(
    private readonly reflector: Reflector,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const required = this.reflector.getAllAndOverride<RequiredAccess | undefined>(ACCESS, targets);
    if (!required) throw undeclared();
    if (required === 'public') return true;
    const principal = principalOf(context);
    if (!principal) throw unauthenticated();
    const request = context.switchToHttp().getRequest<Request>();
    const also = this.reflector.get<Condition | undefined>(ALSO_NEEDS, context.getHandler());
    const scopes = [required, ...(also?.applies(request) ? [also.scope] : [])];
    const missing = scopes.find((scope) => !principal.scopes.has(scope));
    if (missing === undefined) return true;
    this.note(principal, missing, `${context.getClass().name}.${context.getHandler().name}`);
    throw missingScope(missing);
  }

  /** Not every time: a client can make any number of requests. */
  private note(principal: Principal, scope: Scope, route: string): void {
    const key = JSON.stringify([principal.tenant_id, principal.user_id, route]);
    const now = this.clock.monotonic();
    if (now - (this.noted.get(key) ?? -Infinity) < NOTED_MS) return;
    this.noted.set(key, now);
    void this.audit.note(principal, 'access.refused', { detail: { scope, route } });
  }
}

function undeclared(): AppError {
  const message = 'This route does not say who may call it. Its author has to add @Access.';
  return new AppError('forbidden', 'undeclared_access', message);
}
