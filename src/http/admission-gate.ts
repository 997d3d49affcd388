import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';

/** Whether the server takes on new work: not any more once it is being stopped. */
@Injectable()
export class AdmissionGate {
  private closed = false;

  close(): void {
    this.closed = true;
  }

  /** @throws AppError `shutting_down` (503) */
  requireOpen(): void {
    if (!this.closed) return;
    throw new AppError(
      'unavailable',
      'shutting_down',
      'The server is being stopped and takes on nothing new. Try again in a moment: it may be back, or another one answers.',
    );
  }
}
