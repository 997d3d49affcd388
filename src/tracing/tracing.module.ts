import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { RunStores } from '../persistence/stores.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { NoTracer, Tracer } from './tracer.js';

/** Global because each folder that sends requests for an interaction names its span. */
@Global()
@Module({
  providers: [{ provide: Tracer, inject: [Config, RunStores, Telemetry], useFactory: openTracer }],
  exports: [Tracer],
})
export class TracingModule {}

/** OpenTelemetry is loaded where something is exported, and nowhere else. */
async function openTracer(
  config: Config,
  { records }: RunStores,
  telemetry: Telemetry,
): Promise<Tracer> {
  if (config.otelExporterOtlpEndpoint === undefined) return new NoTracer();
  const { openOtelTracer } = await import('./otel/open-otel-tracer.js');
  return openOtelTracer({ config, records, telemetry });
}
