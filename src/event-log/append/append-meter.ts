import type { AppendBatch } from '../../persistence/rows/store-rows.js';

/** Is told of each commit that a process tries. */
export interface AppendMeter {
  written(batches: readonly AppendBatch[], duration_ms: number): void;
  failed(duration_ms: number): void;
}
