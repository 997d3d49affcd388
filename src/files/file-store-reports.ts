import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { LimitedLines } from '../logging/limited-lines.js';
import { Telemetry } from '../telemetry/telemetry.js';

interface Failure {
  readonly message: string;
  readonly err?: unknown;
}

/** Tells metrics and, limited by `kind`, the log that the store of the bytes has failed. */
@Injectable()
export class FileStoreReports implements OnApplicationShutdown {
  private readonly logger = new Logger('Files');
  private readonly failures: LimitedLines<Failure>;

  constructor(
    clock: Clock,
    private readonly telemetry: Telemetry,
  ) {
    this.failures = new LimitedLines(clock, (failure, left_out) =>
      this.logger.warn({ ...failure, ...(left_out > 0 && { left_out }) }),
    );
  }

  onApplicationShutdown(): void {
    this.failures.flush();
  }

  failed(kind: 'away' | 'missing', failure: Failure): void {
    this.telemetry.emit('file_store_failed', undefined);
    this.failures.add(kind, failure);
  }
}
