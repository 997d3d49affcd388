import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { NEEDS_NO_STORE } from '../http/security/needs-no-store.js';
import { AppError } from '../kernel/app-error.js';
import { StoreHealth } from '../event-log/store-health.js';

/** Fails fast while the store is unreachable, so that requests don't pile up. */
@Injectable()
export class StoreGuard implements CanActivate {
  constructor(
    private readonly store: StoreHealth,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.store.unreachableSince) return true;
    if (this.reflector.get<boolean | undefined>(NEEDS_NO_STORE, context.getClass())) return true;
    throw new AppError(
      'unavailable',
      'store_unavailable',
      `The ${this.store.name} is unreachable. Retry shortly; if this persists, check that it is running.`,
    );
  }
}
