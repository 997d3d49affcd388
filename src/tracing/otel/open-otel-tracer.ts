import type { Config } from '../../config/config.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { openMetricExporter, openSpanQueue, resourceOf } from './exporter.js';
import { GenAiMetrics } from './gen-ai-metrics.js';
import { OtelTracer } from './otel-tracer.js';
import { watchPartialSuccess } from './partial-success.js';

interface Deps {
  readonly config: Config;
  readonly records: Pick<RecordStore, 'readRecords'>;
  readonly telemetry: Telemetry;
}

/** Exports traces and metrics from now on. */
export async function openOtelTracer({ config, records, telemetry }: Deps): Promise<OtelTracer> {
  await watchPartialSuccess(telemetry);
  const resource = resourceOf(config);
  const queue = await openSpanQueue(config, telemetry);
  const metrics = new GenAiMetrics(config, resource, await openMetricExporter(config));
  const tracer = new OtelTracer({ records, queue, resource, config, metrics, telemetry });
  telemetry.on('interaction_started', ({ interaction }) => tracer.started(interaction));
  telemetry.on('run_ended', ({ interaction, epoch }) => tracer.runEnded(interaction, epoch));
  telemetry.on('append_written', ({ batches }) => metrics.count(batches));
  return tracer;
}
