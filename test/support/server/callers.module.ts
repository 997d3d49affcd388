import { Module } from '@nestjs/common';
import type { MiddlewareConsumer, NestModule } from '@nestjs/common';
import { NO_TENANT, withinTenant } from '../../../src/kernel/tenant-scope.js';
import type { NextFunction, Request, Response } from 'express';
import { DEFAULT_TENANT, LOCAL_PRINCIPAL } from '../../../src/auth/principal.js';
import type { Principal } from '../../../src/auth/principal.js';

/** Names the user and the tenant of a request. */
export const callerHeaders = (user: string, tenant = DEFAULT_TENANT) => ({
  'x-test-user': user,
  'x-test-tenant': tenant,
});

/** Requests are of the users that their headers name. */
@Module({})
export class CallersModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(identify).forRoutes('{*path}');
  }
}

function identify(
  request: Request & { principal?: Principal },
  _: Response,
  next: NextFunction,
): void {
  const user_id = request.header('x-test-user');
  const tenant_id = request.header('x-test-tenant') ?? DEFAULT_TENANT;
  if (user_id !== undefined) request.principal = { ...LOCAL_PRINCIPAL, user_id, tenant_id };
  withinTenant(request.principal?.tenant_id ?? NO_TENANT, next);
}
