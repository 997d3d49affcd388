import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { NEEDS_NO_STORE } from '../http/security/needs-no-store.js';
import { AppError } from '../kernel/app-error.js';
import { StoreHealth } from '../event-log/store-health.js';

/** Answers at once what would only wait for a store that is known to be away, so that requests don't pile up. */
@Injectable()
export class StoreGuard implements CanActivate {
  constructor(
    private readonly watch: StoreHealth,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.watch.unreachableSince) return true;
    if (this.reflector.get<boolean | undefined>(NEEDS_NO_STORE, context.getClass())) return true;
    throw new AppError(
      'unavailable',
      'store_unavailable',
      `The ${this.watch.name} can't be reached at the moment. Try again; if it lasts, check that it runs.`,
    );
  }
}
