import { Module } from '@nestjs/common';
import type { MiddlewareConsumer, NestModule } from '@nestjs/common';
import { NO_TENANT, withinTenant } from '../../../src/kernel/tenant-scope.js';
import type { NextFunction, Request, Response } from 'express';
import type { Principal, Scope } from '../../../src/auth/principal.js';

/** Names the principal of a request: `<tenant>/<user>[/<scope>,…]`. */
export const PRINCIPAL_HEADER = 'x-test-principal';

/** Believes the header: for tests of what principals see. */
@Module({})
export class PrincipalTestModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(believe).forRoutes('{*path}');
  }
}

function believe(
  request: Request & { principal?: Principal },
  _response: Response,
  next: NextFunction,
): void {
  const [tenant_id, user_id, scopes = ''] = (request.get(PRINCIPAL_HEADER) ?? '').split('/');
  if (tenant_id && user_id)
    request.principal = { tenant_id, user_id, scopes: new Set(scopes.split(',') as Scope[]) };
  withinTenant(request.principal?.tenant_id ?? NO_TENANT, next);
}
