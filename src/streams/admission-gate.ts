import { setMaxListeners } from 'node:events';
import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';

/** Refuses new interactions once the server is shutting down. */
@Injectable()
export class AdmissionGate {
  private readonly closing = new AbortController();

  constructor() {
    setMaxListeners(Infinity, this.closed); // each wait and each stream listens
  }

  /** Aborts when the server begins to shut down. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  close(): void {
    this.closing.abort();
  }

  /** @throws AppError `shutting_down` (503) */
  requireOpen(): void {
    if (!this.closed.aborted) return;
    throw new AppError('unavailable', 'shutting_down', 'Server is shutting down. Retry shortly.');
  }
}
