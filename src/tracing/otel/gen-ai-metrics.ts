import type { Attributes, Counter, Histogram } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { Config } from '../../config/config.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { RecordBody, RecordOf } from '../../protocol/events.js';
import { GEN_AI, GEN_AI_METRICS, splitModel } from './gen-ai.js';

/** Sets of attributes that are told apart; all others are one, named as OpenTelemetry says. */
const MAX_SERIES = 500;
const OVERFLOW: Attributes = { 'otel.metric.overflow': true };
/** Names come from clients and models. */
const MAX_NAME = 200;
const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

interface Written {
  readonly records: readonly { readonly body: RecordBody }[];
}

/** The metrics of OpenTelemetry's conventions for generative AI, of what this process has saved. */
export class GenAiMetrics {
  private readonly provider: MeterProvider;
  private readonly duration: Histogram;
  private readonly toolDuration: Histogram;
  private readonly tokens: Readonly<Record<keyof typeof TOKENS, Counter>>;
  private readonly turns = new KnownAttributes();
  private readonly calls = new KnownAttributes();

  constructor(
    { otelMetricExportInterval }: Config,
    resource: Resource,
    exporter: PushMetricExporter,
  ) {
    const exportIntervalMillis = otelMetricExportInterval;
    const exportTimeoutMillis = Math.min(exportIntervalMillis, 10_000);
    const options = { exporter, exportIntervalMillis, exportTimeoutMillis };
    this.provider = new MeterProvider({
      resource,
      readers: [new PeriodicExportingMetricReader(options)],
    });
    const meter = this.provider.getMeter('parley');
    const seconds = { unit: 's', advice: { explicitBucketBoundaries: SECONDS } };
    this.duration = meter.createHistogram(GEN_AI_METRICS.inferenceDuration, seconds);
    this.toolDuration = meter.createHistogram(GEN_AI_METRICS.toolDuration, seconds);
    const counter = (name: string): Counter => meter.createCounter(name, { unit: '{token}' });
    this.tokens = {
      input_tokens: counter(TOKENS.input_tokens),
      output_tokens: counter(TOKENS.output_tokens),
      cached_tokens: counter(TOKENS.cached_tokens),
      cache_write_tokens: counter(TOKENS.cache_write_tokens),
      reasoning_tokens: counter(TOKENS.reasoning_tokens),
    };
  }

  count(batches: readonly Written[]): void {
    for (const { records } of batches)
      for (const { body } of records) {
        if (body.type === 'TURN_COMPLETED') this.countTurn(body);
        if (body.type === 'TOOL_RESULT') this.countCall(body);
      }
  }

  async shutdown(): Promise<void> {
    await this.provider.shutdown();
  }

  private countTurn({ model, duration_ms, usage, error }: RecordOf<'TURN_COMPLETED'>): void {
    const [provider, name] = splitModel(cutText(model, MAX_NAME));
    const attributes = this.turns.bounded({
      ...{ [GEN_AI.operation]: 'chat', [GEN_AI.provider]: provider, [GEN_AI.requestModel]: name },
      ...(error && { 'error.type': error.code }),
    });
    this.duration.record(duration_ms / 1000, attributes);
    for (const field of FIELDS) this.tokens[field].add(usage[field] ?? 0, attributes);
  }

  private countCall({ tool_name, duration_ms, is_error }: RecordOf<'TOOL_RESULT'>): void {
    const attributes = this.calls.bounded({
      ...{ [GEN_AI.operation]: 'execute_tool', [GEN_AI.tool]: cutText(tool_name, MAX_NAME) },
      ...(is_error && { 'error.type': 'tool_failed' }),
    });
    this.toolDuration.record(duration_ms / 1000, attributes);
  }
}

/** The packages bound only what is new between two exports, and keep it for ever. */
class KnownAttributes {
  private readonly known = new Set<string>();

  bounded(attributes: Attributes): Attributes {
    const key = JSON.stringify(attributes);
    if (!this.known.has(key) && this.known.size >= MAX_SERIES) return OVERFLOW;
    this.known.add(key);
    return attributes;
  }
}

const TOKENS = {
  input_tokens: GEN_AI_METRICS.inputTokens,
  output_tokens: GEN_AI_METRICS.outputTokens,
  cached_tokens: GEN_AI_METRICS.cachedTokens,
  cache_write_tokens: GEN_AI_METRICS.cacheWriteTokens,
  reasoning_tokens: GEN_AI_METRICS.reasoningTokens,
} as const;
const FIELDS = Object.keys(TOKENS) as (keyof typeof TOKENS)[];
