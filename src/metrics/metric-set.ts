import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS } from './definitions.js';
import type { Definition } from './definitions.js';

type Metrics = typeof METRICS;
type NamesOf<T extends Definition['type']> = {
  [N in keyof Metrics]: Metrics[N]['type'] extends T ? N : never;
}[keyof Metrics];
/** The labels of a metric, which all have to be given. */
type Labels<N extends keyof Metrics> = Metrics[N] extends { readonly labels: infer L }
  ? [labels: { readonly [K in keyof L]: string }]
  : [];

/** The metrics of `METRICS` with their values. */
export class MetricSet {
  private readonly registry = new Registry();
  private readonly counters = new Map<string, Counter>();
  private readonly gauges = new Map<string, Gauge>();
  private readonly histograms = new Map<string, Histogram>();
  private watchesProcess = false;

  constructor() {
    for (const [name, definition] of Object.entries<Definition>(METRICS))
      this.create(name, definition);
  }

  /** @param value 0 makes the series known before its first event */
  add<N extends NamesOf<'counter'>>(
    name: N,
    value: number,
    ...[labels = {}]: Labels<N> | []
  ): void {
    this.counters.get(name)?.inc(labels, value);
  }

  /** Replaces a count that is kept elsewhere. */
  setTotal(name: NamesOf<'counter'>, value: number): void {
    this.counters.get(name)?.reset();
    this.counters.get(name)?.inc(value);
  }

  set<N extends NamesOf<'gauge'>>(name: N, value: number, ...[labels = {}]: Labels<N>): void {
    this.gauges.get(name)?.set(labels, value);
  }

  /** Removes all series of a gauge. */
  clear(name: NamesOf<'gauge'>): void {
    this.gauges.get(name)?.reset();
  }

  /** @param milliseconds below 0, as of clocks that differ, counts as 0 */
  time<N extends NamesOf<'histogram'>>(name: N, milliseconds: number, ...labels: Labels<N>): void {
    this.observe(name, Math.max(0, milliseconds) / 1000, ...labels);
  }

  observe<N extends NamesOf<'histogram'>>(
    name: N,
    value: number,
    ...[labels = {}]: Labels<N>
  ): void {
    this.histograms.get(name)?.observe(labels, value);
  }

  /** Makes the series known before its first event. */
  begin<N extends NamesOf<'histogram'>>(name: N, ...[labels = {}]: Labels<N>): void {
    this.histograms.get(name)?.zero(labels);
  }

  /**
   * In Prometheus's text format. Process metrics cost a little, so they begin with the first text.
   */
  text(): Promise<string> {
    if (!this.watchesProcess) collectDefaultMetrics({ register: this.registry });
    this.watchesProcess = true;
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  private create(name: string, { type, help, labels = {}, buckets }: Definition): void {
    const options = { name, help, labelNames: Object.keys(labels), registers: [this.registry] };
    if (type === 'counter') this.counters.set(name, new Counter(options));
    if (type === 'gauge') this.gauges.set(name, new Gauge(options));
    if (type === 'histogram')
      this.histograms.set(name, new Histogram({ ...options, buckets: [...(buckets ?? [])] }));
  }
}
