import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { StoreHealth } from '../event-log/store-health.js';
import { problemOf } from '../http/errors/problem-of.js';
import { AppError } from '../kernel/app-error.js';

const READS = ['GET', 'HEAD', 'OPTIONS'];
const UNAVAILABLE = 'store_unavailable';

/**
 * Refuses nothing. Reports requests that the store did not save, such as starts while the disk is
 * full: a server whose store only reads is not ready.
 */
@Injectable()
export class WriteFaultsGuard implements CanActivate {
  constructor(private readonly store: StoreHealth) {}

  canActivate(context: ExecutionContext): boolean {
    const response = context.switchToHttp().getResponse<Response>();
    if (!READS.includes(response.req.method)) response.once('close', () => this.note(response));
    return true;
  }

  private note(response: Response): void {
    const problem = problemOf(response);
    if (problem?.type !== `/problems/${UNAVAILABLE}` || this.store.unreachableSince) return;
    this.store.noteNotWritten(new AppError('unavailable', UNAVAILABLE, problem.detail));
  }
}
