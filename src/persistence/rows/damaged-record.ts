import { AppError } from '../../kernel/app-error.js';
import { textsOf } from '../../protocol/records.js';
import type { LogRecord } from './log-record.js';

/**
 * Passes a record on whose body is one, sealed or not: readers count on its texts. A type that this
 * version does not know is for its readers to skip.
 * @throws AppError `record_damaged`
 */
export function requireBody<R extends LogRecord>(record: R): R {
  const body = record.body as unknown as Readonly<Record<string, unknown>> | null;
  if (typeof body?.['type'] !== 'string') throw recordDamaged(record.interaction_id);
  if ('enc' in body) return record;
  for (const field of textsOf(body['type']))
    if (typeof body[field] !== 'string') throw recordDamaged(record.interaction_id);
  return record;
}

/** Another attempt to read the log fails, too. */
export function recordDamaged(interactionId: string, cause?: unknown): AppError {
  const message = `A saved record of ${interactionId} is damaged: it was changed in the store.`;
  return new AppError('internal', 'record_damaged', message, { cause });
}
