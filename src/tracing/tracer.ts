import type { SpanKey } from '../timeline/span-ids.js';
import type { Traced } from '../timeline/trace-context.js';

/**
 * Port: lets the requests that an interaction sends to others continue its trace. The spans
 * themselves are made of its log.
 */
export abstract class Tracer {
  /** False: nothing is traced. */
  abstract readonly isOn: boolean;
  /** Does the work; the requests that it sends name the span as their parent. */
  abstract within<T>(interaction: Traced, span: SpanKey, work: () => T): T;
  /** The `traceparent` of a request about an interaction; undefined: it is not traced. */
  abstract headerOf(interaction: Traced, span: SpanKey): string | undefined;
}

/** Where nothing is exported. */
export class NoTracer extends Tracer {
  override readonly isOn = false;

  override within<T>(_interaction: Traced, _span: SpanKey, work: () => T): T {
    return work();
  }

  override headerOf(): undefined {
    return undefined;
  }
}
