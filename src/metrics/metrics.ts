import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../agents/agent-registry.js';
import { Config } from '../config/config.js';
import { Guardrails } from '../guardrails/guardrails.js';
import type { Dependency } from '../health/dependencies.js';
import type { PendingCount } from '../persistence/rows/request-rows.js';
import type { RecordBody, RecordOf } from '../protocol/events.js';
import { QUOTAS } from '../quotas/quotas.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { Telemetry } from '../telemetry/telemetry.js';
import type { TelemetryEvents } from '../telemetry/telemetry-events.js';
import { countStalls } from '../watchdog/stalls.js';
import { FINAL_STATUSES } from '../protocol/wire/fields.js';
import {
  codeLabel,
  ERROR_CODES,
  MODEL_CODES,
  modelCodeLabel,
  ModelLabels,
  NameLabels,
  statusLabel,
} from './labels.js';
import { MetricSet } from './metric-set.js';

/** Gauges, read at the moment of a scrape. */
export interface Readings {
  readonly runs: Readonly<Record<'working' | 'waiting' | 'queued', number>>;
  /** Interactions that wait for any process with a free slot. */
  readonly queue_length: number;
  readonly queue_oldest_ms: number;
  readonly streams: number;
  readonly spilled: number;
  readonly store_up: boolean;
  readonly dependencies: readonly Dependency[];
  /** Undefined: unknown. */
  readonly pending: readonly PendingCount[] | undefined;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

const WEBHOOK_OUTCOMES = ['delivered', 'retried', 'failed', 'dropped'] as const;
const SPAN_DROP_REASONS = ['not_exported', 'rejected', 'queue_full', 'not_read'] as const;
const REQUEST_KINDS = ['approval', 'input', 'tool'] as const;

/** The metrics of this process for Prometheus, counted from its telemetry. */
@Injectable()
export class Metrics {
  private readonly set = new MetricSet();
  private readonly models: ModelLabels;
  private readonly tools = new NameLabels();
  private readonly guardrailLabels = new NameLabels();
  private readonly routes = new NameLabels();

  constructor(
    private readonly config: Config,
    agents: AgentRegistry,
    telemetry: Telemetry,
    private readonly guardrails: Guardrails,
    private readonly toolRegistry: ToolRegistry,
  ) {
    this.models = new ModelLabels(config, agents);
    this.begin();
    this.countRuns(telemetry);
    this.countModels(telemetry);
    this.countStore(telemetry);
    this.countHttp(telemetry);
    this.countFiles(telemetry);
    this.countWebhooks(telemetry);
    telemetry.on('spans_dropped', ({ reason, count }) =>
      this.set.add('parley_spans_dropped_total', count, { reason }),
    );
  }

  /** In Prometheus's text format. */
  scrape(readings: Readings): Promise<string> {
    const { set } = this;
    const { runs, pending, now } = readings;
    for (const [state, count] of Object.entries(runs)) set.set('parley_runs', count, { state });
    set.set('parley_queue_length', readings.queue_length);
    set.set('parley_queue_oldest_seconds', readings.queue_oldest_ms / 1000);
    set.set('parley_streams', readings.streams);
    set.set('parley_spilled_interactions', readings.spilled);
    set.set('parley_store_up', readings.store_up ? 1 : 0);
    for (const { name, awaySince } of readings.dependencies)
      set.set('parley_dependency_up', awaySince ? 0 : 1, { dependency: name });
    this.showPending(pending, now);
    for (const name of this.guardrails.names) this.countTrips(name, 0);
    for (const { name } of this.toolRegistry.list())
      if (this.tools.isNew(name)) set.begin('parley_tool_seconds', { tool: this.tools.of(name) });
    const stalls = countStalls(); // the watchdog counts them, as this thread can't
    set.setTotal('parley_event_loop_stalls_total', stalls.count);
    set.setTotal('parley_event_loop_stalled_seconds_total', stalls.seconds);
    return set.text();
  }

  get contentType(): string {
    return this.set.contentType;
  }

  /** Counters at 0: the growth of a series that begins with its first event would be missed. */
  private begin(): void {
    const { set } = this;
    for (const kind of REQUEST_KINDS) set.begin('parley_request_wait_seconds', { kind });
    for (const status of FINAL_STATUSES) set.add('parley_interactions_ended_total', 0, { status });
    for (const code of ERROR_CODES) set.add('parley_interactions_failed_total', 0, { code });
    for (const model of this.models.usual) this.beginModel(model);
    for (const kind of ['transcription', 'speech'])
      for (const outcome of ['ok', 'failed'])
        set.add('parley_audio_requests_total', 0, { kind, outcome });
    set.add('parley_audio_transcribed_seconds_total', 0);
    for (const quota of QUOTAS) set.add('parley_quota_refusals_total', 0, { quota });
    for (const outcome of ['written', 'failed']) set.add('parley_appends_total', 0, { outcome });
    for (const outcome of ['ok', 'error']) set.add('parley_tool_calls_total', 0, { outcome });
    for (const outcome of WEBHOOK_OUTCOMES)
      set.add('parley_webhook_deliveries_total', 0, { outcome });
    for (const reason of SPAN_DROP_REASONS) set.add('parley_spans_dropped_total', 0, { reason });
  }

  private beginModel(model: string): void {
    this.set.add('parley_model_retries_total', 0, { model });
    for (const code of MODEL_CODES) this.set.add('parley_model_failures_total', 0, { model, code });
    this.set.begin('parley_model_turn_seconds', { model });
    if (this.config.prices.of(model)) this.set.add('parley_cost_usd_total', 0, { model });
    for (const direction of ['input', 'output'])
      this.set.add('parley_tokens_total', 0, { model, direction });
  }

  private countTrips(name: string, count: number): void {
    const guardrail = this.guardrailLabels.of(name);
    this.set.add('parley_guardrail_trips_total', count, { guardrail });
  }

  private showPending(pending: readonly PendingCount[] | undefined, now: number): void {
    this.set.clear('parley_requests_pending');
    this.set.clear('parley_requests_oldest_seconds');
    if (!pending) return;
    for (const kind of REQUEST_KINDS) {
      const { count = 0, oldest } = pending.find((each) => each.kind === kind) ?? {};
      const age_ms = oldest === undefined ? 0 : now - Date.parse(oldest);
      this.set.set('parley_requests_pending', count, { kind });
      this.set.set('parley_requests_oldest_seconds', Math.max(0, age_ms) / 1000, { kind });
    }
  }

  private countRuns(telemetry: Telemetry): void {
    const { set } = this;
    telemetry.on('interaction_started', () => set.add('parley_interactions_started_total', 1));
    telemetry.on('run_taken_over', () => set.add('parley_takeovers_total', 1));
    telemetry.on('first_delta', ({ wait_ms }) =>
      set.time('parley_time_to_first_delta_seconds', wait_ms),
    );
    telemetry.on('tool_returned', ({ tool, duration_ms }) =>
      set.time('parley_tool_seconds', duration_ms, { tool: this.tools.of(tool) }),
    );
    telemetry.on('request_settled', ({ kind, wait_ms }) =>
      set.time('parley_request_wait_seconds', wait_ms, { kind }),
    );
    telemetry.on('guardrail_tripped', ({ guardrail: name }) => this.countTrips(name, 1));
    telemetry.on('audio_asked', ({ kind, has_failed, audio_ms = 0 }) => {
      const outcome = has_failed ? 'failed' : 'ok';
      set.add('parley_audio_requests_total', 1, { kind, outcome });
      set.add('parley_audio_transcribed_seconds_total', audio_ms / 1000);
    });
    telemetry.on('quota_refused', ({ quota }) =>
      set.add('parley_quota_refusals_total', 1, { quota }),
    );
  }

  private countModels(telemetry: Telemetry): void {
    const { set } = this;
    telemetry.on('model_failed', ({ code, model }) =>
      set.add('parley_model_failures_total', 1, {
        ...{ model: this.models.of(model), code: modelCodeLabel(code) },
      }),
    );
    telemetry.on('model_retried', ({ model }) =>
      set.add('parley_model_retries_total', 1, { model: this.models.of(model) }),
    );
    telemetry.on('model_fell_back', () => set.add('parley_model_fallbacks_total', 1));
  }

  private countStore(telemetry: Telemetry): void {
    const { set } = this;
    telemetry.on('append_written', ({ batches, duration_ms }) => {
      set.add('parley_appends_total', 1, { outcome: 'written' });
      set.observe('parley_append_group_size', batches.length);
      set.time('parley_store_commit_seconds', duration_ms);
      for (const batch of batches) this.countBatch(batch);
    });
    telemetry.on('append_failed', ({ duration_ms }) => {
      set.add('parley_appends_total', 1, { outcome: 'failed' });
      set.time('parley_store_commit_seconds', duration_ms);
    });
  }

  private countHttp(telemetry: Telemetry): void {
    telemetry.on('http_answered', ({ route, status, duration_ms }) =>
      this.set.time('parley_http_request_seconds', duration_ms, {
        ...{ route: this.routes.of(route), status: statusLabel(status) },
      }),
    );
  }

  private countFiles(telemetry: Telemetry): void {
    const { set } = this;
    telemetry.on('file_added', ({ size_bytes }) => {
      set.add('parley_files_added_total', 1);
      set.add('parley_file_bytes_added_total', size_bytes);
    });
    telemetry.on('file_store_failed', () => set.add('parley_file_store_failures_total', 1));
    telemetry.on('file_swept', () => set.add('parley_files_swept_total', 1));
    telemetry.on('file_purges_pending', ({ count }) =>
      set.set('parley_file_purges_pending', count),
    );
  }

  private countWebhooks(telemetry: Telemetry): void {
    const { set } = this;
    telemetry.on('webhook_ended', ({ outcome, count }) =>
      set.add('parley_webhook_deliveries_total', count, { outcome }),
    );
    telemetry.on('webhooks_waiting', ({ count }) => set.set('parley_webhooks_waiting', count));
  }

  private countBatch({ records, end }: TelemetryEvents['append_written']['batches'][number]): void {
    const { set } = this;
    if (end?.error)
      set.add('parley_interactions_failed_total', 1, { code: codeLabel(end.error.code) });
    set.add('parley_records_total', records.length);
    for (const { body } of records) this.countRecord(body);
  }

  private countRecord(body: RecordBody): void {
    const { set } = this;
    if (body.type === 'TOOL_RESULT')
      set.add('parley_tool_calls_total', 1, { outcome: body.is_error ? 'error' : 'ok' });
    if (body.type === 'INTERACTION_COMPLETE')
      set.add('parley_interactions_ended_total', 1, { status: body.status });
    if (body.type === 'TURN_COMPLETED' && !body.error) this.countTurn(body);
  }

  private countTurn({ model: name, duration_ms, usage }: RecordOf<'TURN_COMPLETED'>): void {
    const { set } = this;
    const model = this.models.of(name);
    const { input_tokens, output_tokens, cost_usd } = usage;
    const { cached_tokens = 0, cache_write_tokens = 0, reasoning_tokens = 0 } = usage;
    set.time('parley_model_turn_seconds', duration_ms, { model });
    set.add('parley_tokens_total', input_tokens, { model, direction: 'input' });
    set.add('parley_tokens_total', output_tokens, { model, direction: 'output' });
    set.add('parley_cached_tokens_total', cached_tokens);
    set.add('parley_cache_write_tokens_total', cache_write_tokens);
    set.add('parley_reasoning_tokens_total', reasoning_tokens);
    if (cost_usd !== undefined) set.add('parley_cost_usd_total', cost_usd, { model });
  }
}
