import { decryptionFailed } from '../../../encryption/data-key.js';
import type { DataKey } from '../../../encryption/data-key.js';
import { requireBody } from '../../../persistence/rows/damaged-record.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { RecordBody } from '../../../protocol/events.js';
import { OUTCOME_UNKNOWN } from '../../../protocol/events.js';
import { keyIdOf, openJson, openText, sealJson } from './sealed-fields.js';
import type { Keys } from './sealed-fields.js';

/**
 * Seals what is not an id, a number or a time of a record. The stores build record 1 from the row
 * of the interaction, so its message is sealed as it is in the row.
 */
export function sealRecord(key: DataKey, record: LogRecord): LogRecord {
  const { interaction_id, seq, body, hidden } = record;
  const sealed =
    body.type === 'INTERACTION_STARTED'
      ? { ...body, user_message: sealMessage(key, interaction_id, body.user_message) }
      : sealJson(key, body, [interaction_id, seq, 'body'], searchable(body));
  return {
    ...record,
    body: sealed,
    hidden: hidden && sealJson(key, hidden, [interaction_id, seq, 'hidden']),
  } as LogRecord;
}

/** @throws AppError `decryption_failed`, `record_damaged` */
export function openRecord<R extends LogRecord>(keys: Keys, record: R): R {
  const { interaction_id, seq, body, hidden } = record;
  if (body.type === 'INTERACTION_STARTED') {
    const user_message = openMessage(keys, interaction_id, body.user_message);
    return { ...record, body: { ...body, user_message } };
  }
  const opened = openJson(keys, body, [interaction_id, seq, 'body']);
  if (opened.type !== body.type) throw decryptionFailed([interaction_id, seq, 'type']);
  return requireBody({
    ...record,
    body: opened,
    hidden: hidden && openJson(keys, hidden, [interaction_id, seq, 'hidden']),
  });
}

export function sealMessage(key: DataKey, interactionId: string, text: string): string {
  return key.seal(text, [interactionId, 'user_message']);
}

export function openMessage(keys: Keys, interactionId: string, text: string): string {
  return openText(keys, text, [interactionId, 'user_message']);
}

/** The ids of the keys of a record. */
export function keysOfRecord({ body, hidden }: LogRecord): (string | undefined)[] {
  const text = body.type === 'INTERACTION_STARTED' ? body.user_message : body;
  return [keyIdOf(text), keyIdOf(hidden)];
}

/** The fields that stores read: the type, the call of a result, and if that is progress. */
function searchable(body: RecordBody): object {
  const { type } = body;
  if (body.type !== 'TOOL_RESULT') return { type };
  const { id, tool_output } = body;
  return tool_output === OUTCOME_UNKNOWN ? { type, id, tool_output } : { type, id };
}
