import { Logger } from '@nestjs/common';
import { cutText } from '../../kernel/text/cut-text.js';
import type { Telemetry } from '../../telemetry/telemetry.js';

/** The exporters of OpenTelemetry tell it to their diagnostics alone, with JSON after it. */
const PARTIAL = 'Received Partial Success response:';
const QUIET_MS = 60_000;
const MAX_TEXT = 300;

/**
 * Counts spans that a collector leaves out of a request that it takes, and logs what it says of
 * them, at most once a minute.
 */
export async function watchPartialSuccess(telemetry: Telemetry): Promise<void> {
  const { diag, DiagLogLevel } = await import('@opentelemetry/api');
  const logger = new Logger('Telemetry');
  let toldAt = -Infinity;
  const warn = (message: string, json: unknown): void => {
    if (message !== PARTIAL) return;
    const partial = JSON.parse(String(json)) as Readonly<Record<string, unknown>>;
    const count = countIn(partial['rejectedSpans']);
    if (count > 0) telemetry.emit('spans_dropped', { reason: 'rejected', count });
    if (performance.now() - toldAt < QUIET_MS) return;
    toldAt = performance.now();
    logger.warn(`The collector does not take all that it is sent: ${describe(partial)}`);
  };
  diag.setLogger(
    { warn, error: skip, info: skip, debug: skip, verbose: skip },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

function skip(): void {}

function describe(partial: Readonly<Record<string, unknown>>): string {
  const spans = countIn(partial['rejectedSpans']);
  const points = countIn(partial['rejectedDataPoints']);
  const { errorMessage: reason } = partial;
  const what = [
    spans > 0 && `rejected spans: ${spans}`,
    points > 0 && `rejected points of metrics: ${points}`,
    typeof reason === 'string' && reason !== '' ? cutText(reason, MAX_TEXT) : 'it gives no reason',
  ];
  return what.filter(Boolean).join('; ');
}

/** A number, which JSON of 64 bits writes as a string; a collector can write anything. */
function countIn(value: unknown): number {
  const count = typeof value === 'string' ? Number(value) : value;
  return Number.isSafeInteger(count) ? Math.max(0, count as number) : 0;
}
