import type { AppendBatch } from '../../persistence/rows/store-rows.js';

/** Port: counts the commits of this process. */
export abstract class AppendMeter {
  abstract written(batches: readonly AppendBatch[], duration_ms: number): void;
  abstract failed(duration_ms: number): void;
}
