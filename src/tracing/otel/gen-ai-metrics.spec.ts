import { resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, InMemoryMetricExporter } from '@opentelemetry/sdk-metrics';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { loadConfig } from '../../config/load-config.js';
import type { RecordBody } from '../../protocol/events.js';
import { GenAiMetrics } from './gen-ai-metrics.js';

function called(tool_name: string): { readonly body: RecordBody } {
  return { body: { type: 'TOOL_RESULT', tool_name, duration_ms: 5 } as unknown as RecordBody };
}

function seriesIn(metrics: ResourceMetrics | undefined): number {
  const all = metrics?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  return Math.max(0, ...all.map(({ dataPoints }) => dataPoints.length));
}

describe(GenAiMetrics.name, () => {
  it('have a bounded number of series, however many names come in however many exports', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const config = loadConfig({ OTEL_METRIC_EXPORT_INTERVAL: '200' });
    const metrics = new GenAiMetrics(config, resourceFromAttributes({}), exporter);
    const exported = async () => {
      const before = exporter.getMetrics().length;
      while (exporter.getMetrics().length === before)
        await new Promise((resolve) => setTimeout(resolve, 20));
      return seriesIn(exporter.getMetrics().at(-1));
    };
    const sizes = [];
    for (const round of [1, 2, 3]) {
      for (let at = 0; at < 400; at++)
        metrics.count([{ records: [called(`tool_${round}_${at}`)] }]);
      sizes.push(await exported());
    }
    await metrics.shutdown();
    expect(sizes).toEqual([400, 501, 501]);
  });
});
