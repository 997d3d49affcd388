import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';

/** Refuses new interactions once the server is shutting down. */
@Injectable()
export class AdmissionGate {
  private closed = false;

  close(): void {
    this.closed = true;
  }

  /** @throws AppError `shutting_down` (503) */
  requireOpen(): void {
    if (!this.closed) return;
    throw new AppError('unavailable', 'shutting_down', 'Server is shutting down. Retry shortly.');
  }
}
