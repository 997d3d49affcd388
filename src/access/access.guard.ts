import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { requireScope, unauthenticated } from '../auth/auth-errors.js';
import { principalOf } from '../auth/caller.decorator.js';
import type { Principal, Scope } from '../auth/principal.js';
import { problemOf } from '../http/errors/problem-of.js';
import { AppError } from '../kernel/app-error.js';
import { ACCESS, ALSO_NEEDS } from '../auth/access.decorator.js';
import type { Condition, RequiredAccess } from '../auth/access.decorator.js';
import { Refusals } from './refusals.js';

/** Lets a request pass if its principal has the scopes that `@Access` and `@AlsoNeeds` name. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly refusals: Refusals,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const required = this.reflector.getAllAndOverride<RequiredAccess | undefined>(ACCESS, targets);
    if (!required) throw undeclared();
    if (required === 'public') return true;
    const principal = principalOf(context);
    if (!principal) throw unauthenticated();
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    this.watchRefusal(principal, request, http.getResponse<Response>());
    const also = this.reflector.get<Condition | undefined>(ALSO_NEEDS, context.getHandler());
    requireScope(principal, ...required);
    if (also?.applies(request)) requireScope(principal, also.scope);
    return true;
  }

  /** A service may refuse later what the guard lets pass. */
  private watchRefusal(principal: Principal, { method, route }: Request, response: Response): void {
    const { path } = route as { readonly path: string };
    response.once('close', () => {
      const problem = problemOf(response);
      if (problem?.status !== 403) return;
      const { scope } = problem as { readonly scope?: Scope };
      void this.refusals.note(principal, {
        code: problem.type.slice('/problems/'.length),
        route: `${method} ${path}`,
        ...(scope !== undefined && { scope }),
      });
    });
  }
}

function undeclared(): AppError {
  const message = 'This route does not say who may call it. Its author has to add @Access.';
  return new AppError('forbidden', 'undeclared_access', message);
}
