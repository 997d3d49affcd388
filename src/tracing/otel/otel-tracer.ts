import { Logger } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { Resource } from '@opentelemetry/resources';
import type { Config } from '../../config/config.js';
import { messageOf } from '../../kernel/app-error.js';
import { Breather } from '../../kernel/async/breather.js';
import { outgoingTrace } from '../../net/outgoing-trace.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { InteractionRef } from '../../telemetry/telemetry-events.js';
import { spanIdOf } from '../../timeline/span-ids.js';
import type { SpanKey } from '../../timeline/span-ids.js';
import { readTimeline } from '../../timeline/read-timeline.js';
import { formatTraceparent, traceOf } from '../../timeline/trace-context.js';
import type { Traced } from '../../timeline/trace-context.js';
import { Tracer } from '../tracer.js';
import type { GenAiMetrics } from './gen-ai-metrics.js';
import { isSampled } from './sampling.js';
import type { SpanQueue } from './span-queue.js';
import { toOtelSpan } from './to-otel-span.js';
import type { SpanSource } from './to-otel-span.js';
import type { Span } from '../../timeline/span.js';

/** Runs whose logs are still to be read; further ones are not exported. */
const MAX_WAITING = 4_096;
const SHUTDOWN_MS = 3_000;

interface Deps {
  readonly records: Pick<RecordStore, 'readRecords'>;
  readonly queue: Pick<SpanQueue, 'add' | 'shutdown'>;
  readonly metrics: Pick<GenAiMetrics, 'shutdown'>;
  readonly telemetry: Telemetry;
  readonly resource: Resource;
  readonly config: Config;
}

/**
 * Exports the spans of interactions. At its start an interaction's root, which has ended at once;
 * at the end of each run what the log says of it. A run that was lost is exported by the next, and
 * each span after its parent: a collector never has one without it.
 */
export class OtelTracer extends Tracer implements OnApplicationShutdown {
  override readonly isOn = true;
  private readonly logger = new Logger('Telemetry');
  private reading = Promise.resolve();
  private waiting = 0;
  private hasTold = false;

  constructor(private readonly deps: Deps) {
    super();
  }

  override within<T>(interaction: Traced, span: SpanKey, work: () => T): T {
    const header = this.headerOf(interaction, span);
    return header === undefined ? work() : outgoingTrace.run(header, work);
  }

  override headerOf(interaction: Traced, span: SpanKey): string | undefined {
    if (!this.isSampled(interaction)) return undefined;
    return formatTraceparent(traceOf(interaction).trace_id, spanIdOf(interaction.id, span));
  }

  /** Exports the span of an interaction that was just accepted. */
  started(interaction: InteractionRef): void {
    if (!this.isSampled(interaction)) return;
    const { id, agent: name, agent_id, created_at: started_at, user_message } = interaction;
    const span: Span = {
      ...{ id: spanIdOf(id, ['root']), parent_id: null, kind: 'interaction', name, agent_id },
      ...{ epoch: 0, started_at, ended_at: started_at, status: 'ok', seq: 1, events: [] },
      ...(this.withTexts && { input: user_message.slice(0, 8_000) }),
    };
    this.deps.queue.add(toOtelSpan(span, this.sourceOf(interaction)));
  }

  /** A run of this process has ended: the interaction is parked, taken over, or has ended. */
  runEnded(interaction: InteractionRef, epoch: number): void {
    if (!this.isSampled(interaction)) return;
    if (this.waiting >= MAX_WAITING) return this.dropRun('too many runs have ended meanwhile');
    this.waiting++;
    this.reading = this.reading
      .then(() => this.exportRun(interaction, epoch))
      .catch((error: unknown) => this.dropRun(messageOf(error)))
      .finally(() => void this.waiting--);
  }

  /** Exports what is left, for as long as a collector may take that answers. */
  async onApplicationShutdown(): Promise<void> {
    const { queue, metrics } = this.deps;
    const exported = this.reading.then(() => Promise.all([queue.shutdown(), metrics.shutdown()]));
    await Promise.race([exported.catch(() => {}), delay(SHUTDOWN_MS, undefined, { ref: false })]);
  }

  private async exportRun(interaction: InteractionRef, epoch: number): Promise<void> {
    const { timeline } = await readTimeline(this.deps.records, interaction.id, this.withTexts);
    const since = timeline.untoldSince(epoch);
    const spans = timeline
      .spans('parked')
      .filter(
        (span) =>
          span.kind !== 'interaction' &&
          span.ended_at !== null &&
          span.epoch <= epoch &&
          span.seq >= since,
      );
    const source = this.sourceOf(interaction);
    const breather = new Breather();
    for (const span of spans) {
      this.deps.queue.add(toOtelSpan(span, source));
      await breather.breathe();
    }
  }

  private sourceOf(interaction: InteractionRef): SpanSource {
    const { resource } = this.deps;
    return { interaction, trace: traceOf(interaction), resource, withTexts: this.withTexts };
  }

  private dropRun(why: string): void {
    this.deps.telemetry.emit('spans_dropped', { reason: 'not_read', count: 1 });
    if (this.hasTold) return;
    this.hasTold = true;
    this.logger.warn(`Runs are missing in traces, as their logs were not read: ${why}`);
  }

  private isSampled(interaction: Traced): boolean {
    const { otelTracesSampler, otelTracesSamplerArg } = this.deps.config;
    return isSampled(traceOf(interaction), otelTracesSampler, otelTracesSamplerArg);
  }

  private get withTexts(): boolean {
    return this.deps.config.otelInstrumentationGenaiCaptureMessageContent;
  }
}
