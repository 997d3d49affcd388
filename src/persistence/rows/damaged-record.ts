import { AppError } from '../../kernel/app-error.js';
import type { LogRecord } from './log-record.js';

/**
 * Passes a record on whose body is one, sealed or not.
 * @throws AppError `record_damaged`
 */
export function requireBody(record: LogRecord): LogRecord {
  const body = record.body as { readonly type?: unknown } | null;
  if (typeof body?.type === 'string') return record;
  throw recordDamaged(record.interaction_id);
}

/** Another attempt to read the log fails, too. */
export function recordDamaged(interactionId: string, cause?: unknown): AppError {
  const message = `A saved record of ${interactionId} is damaged: it was changed in the store.`;
  return new AppError('internal', 'record_damaged', message, { cause });
}
