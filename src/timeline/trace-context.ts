import { rememberPerObject } from '../kernel/remember-per-object.js';
import { traceIdOf } from './span-ids.js';

/**
 * Header of the W3C's Trace Context, version 00 and above; ids of zeros are none. Only later
 * versions may have more fields.
 */
const TRACEPARENT =
  /^(?!ff)(?!00.{53}-)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const MAX_LENGTH = 256;

/** Properties of an interaction that determine its trace. */
export interface Traced {
  readonly id: string;
  readonly settings: { readonly traceparent?: string };
}

/** The trace that an interaction is part of. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly trace_id: string;
  /** 16 hex digits; undefined: it begins with the interaction. */
  readonly parent_span_id?: string;
  /** Sampling decision of the caller; undefined: there is none. */
  readonly sampled?: boolean;
}

/** Undefined for a header that is missing or malformed: a trace of its own begins then. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  if (header === undefined || header.length > MAX_LENGTH) return undefined;
  const [, trace_id, parent_span_id, flags] = TRACEPARENT.exec(header.trim()) ?? [];
  if (trace_id === undefined || parent_span_id === undefined) return undefined;
  return { trace_id, parent_span_id, sampled: (parseInt(flags!, 16) & 1) === 1 };
}

/** The header for those that the interaction calls, which continue in the span. */
export function formatTraceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

export function traceOf(interaction: Traced): TraceContext {
  return remembered(interaction);
}

/** Each request of an interaction asks. */
const remembered = rememberPerObject(({ id, settings }: Traced): TraceContext => {
  return parseTraceparent(settings.traceparent) ?? { trace_id: traceIdOf(id) };
});
