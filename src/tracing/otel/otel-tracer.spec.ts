import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { loadConfig } from '../../config/load-config.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import { Telemetry } from '../../telemetry/telemetry.js';
import type { InteractionRef } from '../../telemetry/telemetry-events.js';
import { OtelTracer } from './otel-tracer.js';

const AT = '2026-01-15T10:00:00.000Z';
const interaction: InteractionRef = {
  ...{ id: 'int_1', chat_id: 'chat', tenant_id: 'default', agent: 'react', agent_id: 'agent_1' },
  ...{ created_at: AT, user_message: 'Hi.', settings: {} },
};
const bodies = [
  { type: 'INTERACTION_STARTED', chat_id: 'chat', user_message: 'Hi.', agent: 'react' },
  { type: 'TOOL_STARTED', id: 'call_1', tool_name: 'read' },
  { type: 'TOOL_RESULT', id: 'call_1', tool_name: 'read', tool_output: '', duration_ms: 0 },
];
const log = bodies.map((body, n) => ({
  ...{ interaction_id: 'int_1', seq: n + 1, epoch: 1, agent_id: 'agent_1', at: AT },
  ...{ key: `${n}`, hidden: null, body },
})) as unknown as LogRecord[];

function open(readRecords: () => Promise<LogRecord[]>) {
  const [spans, dropped, telemetry] = [[] as ReadableSpan[], [] as unknown[], new Telemetry()];
  telemetry.on('spans_dropped', (event) => dropped.push(event));
  const tracer = new OtelTracer({
    records: { readRecords },
    queue: { add: (span) => void spans.push(span), shutdown: async () => {} },
    metrics: { shutdown: async () => {} },
    resource: resourceFromAttributes({}),
    config: loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }),
    telemetry,
  });
  return { tracer, spans, dropped };
}

describe(OtelTracer.name, () => {
  it('exports the start at once, and what a run did at its end, each after its parent', async () => {
    const { tracer, spans, dropped } = open(async () => log);
    tracer.started(interaction);
    expect(spans).toHaveLength(1);
    tracer.runEnded(interaction, 1);
    await tracer.onApplicationShutdown();
    expect(spans.map(({ name }) => name)).toEqual([
      ...['interaction react', 'invoke_agent react', 'execute_tool read'],
    ]);
    const ids = spans.map((span) => span.spanContext().spanId);
    expect(spans.map((span) => span.parentSpanContext?.spanId)).toEqual([
      ...[undefined, ids[0], ids[1]],
    ]);
    expect(dropped).toEqual([]);
  });

  it('counts runs whose log can’t be read, and those that are too many; tells once', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const { tracer, spans, dropped } = open(async () => {
      throw new Error('away');
    });
    for (let n = 0; n < 4_100; n++) tracer.runEnded(interaction, 1);
    expect(dropped).toHaveLength(4_100 - 4_096);
    await tracer.onApplicationShutdown();
    expect(dropped).toHaveLength(4_100);
    expect(new Set(dropped.map((each) => JSON.stringify(each)))).toEqual(
      new Set(['{"reason":"not_read","count":1}']),
    );
    expect(spans).toEqual([]);
    expect(warned).toHaveBeenCalledTimes(1);
    warned.mockRestore();
  });
});
