import { Logger } from '@nestjs/common';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { doneWithin } from '../../kernel/async/promises.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { EXPORT_MS, EXPORTED } from './otel-values.js';

/** Limits for all spans that wait or are being sent. */
const MAX_SPANS = 8_192;
const MAX_CHARS = 16 * 1024 * 1024;
/** Limits for a request. */
const BATCH_SPANS = 2_048;
const BATCH_CHARS = 1024 * 1024;
/** Spans of this time are sent together. */
const PAUSE_MS = 1_000;

interface Entry {
  readonly span: ReadableSpan;
  readonly chars: number;
}

interface Deps {
  readonly exporter: SpanExporter;
  /** Ends all requests of the exporter. */
  readonly abort: () => void;
  readonly telemetry: Telemetry;
}

/**
 * Sends spans to the collector in their order, one request after the other. Those that it doesn't
 * take, and those that are too many meanwhile, are dropped and counted.
 */
export class SpanQueue {
  private readonly logger = new Logger('Telemetry');
  private waiting: Entry[] = [];
  /** Totals of the spans that wait or are being sent. */
  private readonly held = { spans: 0, chars: 0 };
  private sending: Promise<void> | undefined;
  private isClosing = false;
  private hasToldFull = false;
  private wake: () => void = () => {};

  constructor(private readonly deps: Deps) {}

  add(span: ReadableSpan): void {
    const { held } = this;
    const chars = charsOf(span);
    if (held.spans >= MAX_SPANS || held.chars + chars > MAX_CHARS) return this.dropFull();
    held.spans++;
    held.chars += chars;
    this.waiting.push({ span, chars });
    if (this.fillsBatch) this.wake();
    this.sending ??= this.send();
  }

  /** Resolves when all spans are sent or dropped. */
  async shutdown(): Promise<void> {
    this.isClosing = true;
    this.wake();
    await this.sending;
    await this.deps.exporter.shutdown();
  }

  private async send(): Promise<void> {
    while (this.waiting.length > 0) {
      if (!this.fillsBatch && !this.isClosing) await this.pause();
      await this.export(this.takeBatch());
    }
    this.sending = undefined;
  }

  /** Right while nothing is being sent. */
  private get fillsBatch(): boolean {
    return this.held.spans >= BATCH_SPANS || this.held.chars >= BATCH_CHARS;
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS).unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private takeBatch(): readonly Entry[] {
    let [spans, room] = [0, BATCH_CHARS];
    for (const { chars } of this.waiting.slice(0, BATCH_SPANS)) {
      if (spans > 0 && chars > room) break;
      spans++;
      room -= chars;
    }
    return this.waiting.splice(0, spans);
  }

  private async export(batch: readonly Entry[]): Promise<void> {
    const { exporter, abort, telemetry } = this.deps;
    let isExported = false;
    const ended = new Promise<void>((resolve) =>
      exporter.export(
        batch.map(({ span }) => span),
        ({ code }) => {
          isExported = code === EXPORTED;
          resolve();
        },
      ),
    ).catch(() => {});
    if (!(await doneWithin(ended, EXPORT_MS))) {
      abort();
      await ended;
    }
    this.held.spans -= batch.length;
    for (const { chars } of batch) this.held.chars -= chars;
    if (!isExported)
      telemetry.emit('spans_dropped', { reason: 'not_exported', count: batch.length });
  }

  private dropFull(): void {
    this.deps.telemetry.emit('spans_dropped', { reason: 'queue_full', count: 1 });
    if (this.hasToldFull) return;
    this.hasToldFull = true;
    this.logger.warn(
      'The collector takes spans more slowly than they are made: some are dropped. parley_spans_dropped_total counts them; a smaller OTEL_TRACES_SAMPLER_ARG makes fewer.',
    );
  }
}

/** Approximate length of the texts of a span. */
function charsOf({ attributes, events }: ReadableSpan): number {
  let chars = 0;
  for (const each of [attributes, ...events.map((event) => event.attributes)])
    for (const value of Object.values(each ?? {}))
      if (typeof value === 'string') chars += value.length;
  return chars;
}
