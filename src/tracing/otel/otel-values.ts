/* oxlint-disable typescript/no-unsafe-enum-assignment -- numbers of a package that is not loaded */
import type { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';

export type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0];

/**
 * Values of `@opentelemetry/api`, of which the programs have a copy with another package already.
 */
export const SAMPLED = 1 as TraceFlags;
export const INTERNAL = 0 as SpanKind;
export const CLIENT = 2 as SpanKind;
export const UNSET = 0 as SpanStatusCode;
export const ERROR = 2 as SpanStatusCode;
export const EXPORTED = 0 as ExportResult['code'];

/** Longest export, in ms: more than exporters wait, which one byte after the other evades. */
export const EXPORT_MS = 12_000;
