import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';

/** Refuses new work once the server shuts down. */
@Injectable()
export class AdmissionGate {
  private closed = false;

  close(): void {
    this.closed = true;
  }

  /** @throws AppError `shutting_down` (503) */
  requireOpen(): void {
    if (!this.closed) return;
    const message = 'Server is shutting down. Retry shortly.';
    throw new AppError('unavailable', 'shutting_down', message);
  }
}
