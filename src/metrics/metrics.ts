import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { AgentRegistry } from '../agents/agent-registry.js';
import { Config } from '../config/config.js';
import { FileMetrics } from './file-metrics.js';
import { AppendMeter } from '../event-log/append/log-writer.js';
import type { AppendBatch } from '../persistence/rows/store-rows.js';
import type { RecordBody } from '../protocol/events.js';
import { QUOTAS } from '../quotas/quotas.js';
import type { RunMeter } from '../runs/run-meter.js';
import { countStalls } from '../watchdog/stalls.js';
import { codeLabel, modelCodeLabel, ModelLabels } from './labels.js';
import { WebhookMetrics } from './webhook-metrics.js';
import type { Quota, QuotaMeter } from '../quotas/quotas.js';

/** Gauges, read at the moment of a scrape. */
export interface Readings {
  readonly runs: Readonly<Record<'working' | 'waiting' | 'queued', number>>;
  /** Interactions that wait for any process with a free slot. */
  readonly queue_length: number;
  readonly streams: number;
  readonly spilled: number;
  readonly store_up: boolean;
}

/** The metrics of this process for Prometheus. Labels have few values, all known in advance. */
@Injectable()
export class Metrics extends AppendMeter implements QuotaMeter, RunMeter {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly runs = new Gauge({
    name: 'parley_runs',
    help: 'Runs of this process: working, waiting for people, or queued.',
    labelNames: ['state'],
    registers: this.registers,
  });
  private readonly queueLength = this.gauge(
    'parley_queue_length',
    'Interactions that wait for a free slot: in Redis, if configured, and in this process.',
  );
  private readonly streams = this.gauge('parley_event_streams', 'Open event streams.');
  private readonly spilled = this.gauge(
    'parley_spilled_interactions',
    'Interactions with records in DATA_DIR/spill.',
  );
  private readonly storeUp = this.gauge(
    'parley_store_up',
    '1 while the store answers and accepts writes.',
  );
  private readonly appends = new Counter({
    name: 'parley_appends_total',
    help: 'Attempted commits, each for a group of interactions.',
    labelNames: ['outcome'],
    registers: this.registers,
  });
  private readonly records = this.counter('parley_records_total', 'Committed records.');
  private readonly groupSize = new Histogram({
    name: 'parley_append_group_size',
    help: 'Interactions per commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: this.registers,
  });
  private readonly duration = new Histogram({
    name: 'parley_append_duration_seconds',
    help: 'Duration of a commit, successful or not.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: this.registers,
  });
  private readonly tokens = new Counter({
    name: 'parley_tokens_total',
    help: 'Tokens of model turns, as counted by their providers.',
    labelNames: ['direction'],
    registers: this.registers,
  });
  private readonly toolCalls = new Counter({
    name: 'parley_tool_calls_total',
    help: 'Tool calls with a result.',
    labelNames: ['outcome'],
    registers: this.registers,
  });
  private readonly ended = new Counter({
    name: 'parley_interactions_ended_total',
    help: 'Interactions that this process ended.',
    labelNames: ['status'],
    registers: this.registers,
  });
  private readonly failures = new Counter({
    name: 'parley_interactions_failed_total',
    help: 'Interactions that this process ended as FAILED.',
    labelNames: ['code'],
    registers: this.registers,
  });
  private readonly modelFailures = new Counter({
    name: 'parley_model_failures_total',
    help: 'Requests to models that failed, also those that were sent again.',
    labelNames: ['code'],
    registers: this.registers,
  });
  private readonly turnSeconds = new Histogram({
    name: 'parley_model_turn_seconds',
    help: 'Duration of model turns that succeeded, with their retries.',
    labelNames: ['model'],
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320],
    registers: this.registers,
  });
  private readonly refusals = new Counter({
    name: 'parley_quota_refusals_total',
    help: 'Requests that a quota of their tenant refused.',
    labelNames: ['quota'],
    registers: this.registers,
  });
  private readonly stalls = this.counter(
    'parley_event_loop_stalls_total',
    'Times that the event loop was blocked for a second or longer.',
  );
  private readonly stalledSeconds = this.counter(
    'parley_event_loop_stalled_seconds_total',
    'Seconds of these.',
  );
  readonly files = new FileMetrics(this.registry);
  readonly webhooks = new WebhookMetrics(this.registry);
  private watchesProcess = false;

  private readonly models: ModelLabels;

  constructor(config: Config, agents: AgentRegistry) {
    super();
    this.models = new ModelLabels(config, agents);
    for (const quota of QUOTAS) this.refusals.inc({ quota }, 0);
  }

  refused(quota: Quota): void {
    this.refusals.inc({ quota });
  }

  modelFailed(code: string): void {
    this.modelFailures.inc({ code: modelCodeLabel(code) });
  }

  override written(batches: readonly AppendBatch[], duration_ms: number): void {
    this.appends.inc({ outcome: 'written' });
    this.groupSize.observe(batches.length);
    this.duration.observe(duration_ms / 1000);
    for (const { records, end } of batches) {
      if (end?.error) this.failures.inc({ code: codeLabel(end.error.code) });
      this.records.inc(records.length);
      for (const { body } of records) this.count(body);
    }
  }

  override failed(duration_ms: number): void {
    this.appends.inc({ outcome: 'failed' });
    this.duration.observe(duration_ms / 1000);
  }

  /**
   * In Prometheus's text format. Process metrics cost a little, so they begin with the first
   * scrape.
   */
  async scrape(readings: Readings): Promise<string> {
    if (!this.watchesProcess) collectDefaultMetrics({ register: this.registry });
    this.watchesProcess = true;
    const { runs, queue_length, streams, spilled, store_up } = readings;
    for (const [state, count] of Object.entries(runs)) this.runs.set({ state }, count);
    this.readStalls();
    this.queueLength.set(queue_length);
    this.streams.set(streams);
    this.spilled.set(spilled);
    this.storeUp.set(store_up ? 1 : 0);
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The watchdog counts them, as this thread can't. */
  private readStalls(): void {
    const { count, seconds } = countStalls();
    this.stalls.reset();
    this.stalls.inc(count);
    this.stalledSeconds.reset();
    this.stalledSeconds.inc(seconds);
  }

  private count(body: RecordBody): void {
    if (body.type === 'TOOL_RESULT')
      this.toolCalls.inc({ outcome: body.is_error ? 'error' : 'ok' });
    if (body.type === 'INTERACTION_COMPLETE') this.ended.inc({ status: body.status });
    if (body.type !== 'TURN_COMPLETED' || body.error) return;
    this.turnSeconds.observe({ model: this.models.of(body.model) }, body.duration_ms / 1000);
    this.tokens.inc({ direction: 'input' }, body.usage.input_tokens);
    this.tokens.inc({ direction: 'output' }, body.usage.output_tokens);
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: this.registers });
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: this.registers });
  }
}
