import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { FileMeter } from '../files/file-meter.js';

/** The metrics of files. */
export class FileMetrics implements FileMeter {
  private readonly uploads;
  private readonly bytes;
  private readonly failures;
  private readonly removed;
  private readonly purges;

  constructor(registry: Registry) {
    const registers = [registry];
    const counter = (name: string, help: string) => new Counter({ name, help, registers });
    this.uploads = counter('parley_files_added_total', 'Files added by people and agents.');
    this.bytes = counter('parley_file_bytes_added_total', 'Bytes of these files.');
    this.failures = counter(
      'parley_file_store_failures_total',
      'Failures to reach, read or write the store of the bytes.',
    );
    this.removed = counter('parley_files_swept_total', 'Bytes without a file that were removed.');
    this.purges = new Gauge({
      name: 'parley_file_purges_pending',
      help: 'Deleted files whose bytes could not be removed yet, up to 200.',
      registers,
    });
  }

  added(size_bytes: number): void {
    this.uploads.inc();
    this.bytes.inc(size_bytes);
  }

  storeFailed(): void {
    this.failures.inc();
  }

  swept(): void {
    this.removed.inc();
  }

  pending(count: number): void {
    this.purges.set(count);
  }
}
