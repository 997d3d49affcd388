import type { DataKey } from '../../../encryption/data-key.js';
import type { ChatPatch } from '../../../persistence/rows/chat-rows.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { RequestRow } from '../../../persistence/rows/request-rows.js';
import type { Message } from '../../../protocol/message.js';
import type { SavedKind, SavedRows } from '../../saved-texts.js';
import { sealChat } from '../encrypted-chat-store.js';
import { sealFile } from '../files/encrypted-file-catalog.js';
import { sealIntervention } from '../encrypted-intervention-store.js';
import { sealRequest } from '../encrypted-record-store.js';
import { sealSettlement } from '../encrypted-request-store.js';
import { sealRule } from '../encrypted-rule-store.js';
import { sealTask } from '../encrypted-task-store.js';
import { isDamaged, keyIdOf } from '../sealed/sealed-fields.js';
import { sealError, sealMessages, sealReason, sealStart } from '../sealed/sealed-interaction.js';
import { keysOfRecord, sealRecord } from '../sealed/sealed-records.js';

type Seal<R> = (key: DataKey, row: R) => R;

/** Each field that is not sealed yet is sealed, as the stores do it when they write it. */
export const SEAL_SAVED: { readonly [K in SavedKind]: Seal<SavedRows[K]> } = {
  chats: (key, row) => {
    const { messages } = row;
    const sealed = sealChat(key, row as ChatPatch);
    return keepSealed(row, { ...sealed, ...(messages?.some(isSealed) && { messages }) });
  },
  files: (key, row) => keepSealed(row, sealFile(key, row)),
  interactions: (key, row) => {
    const { id, error, cancel_reason, added_messages, idempotency_fingerprint } = row;
    const sealed = {
      ...row,
      ...sealStart(key, row as never),
      error: error && sealError(key, id, error),
      cancel_reason: cancel_reason && sealReason(key, id, cancel_reason),
      added_messages: added_messages && sealMessages(key, id, added_messages),
      idempotency_fingerprint: idempotency_fingerprint && key.mac(idempotency_fingerprint),
    };
    return keepSealed(row, {
      ...sealed,
      ...(added_messages?.some(isSealed) && { added_messages }),
    });
  },
  records: (key, row) =>
    keysOfRecord(row as LogRecord).some((id) => id !== undefined) || isDamaged(row.body)
      ? row
      : sealRecord(key, row as LogRecord),
  requests: (key, row) =>
    keepSealed(row, {
      ...sealRequest(key, row as RequestRow),
      settlement: sealSettlement(key, row.id, row.settlement),
    }),
  interventions: (key, row) => keepSealed(row, sealIntervention(key, row)),
  permission_rules: (key, row) => keepSealed(row, sealRule(key, row)),
  tasks: (key, row) => keepSealed(row, sealTask(key, row)),
};

function isSealed(message: Message): boolean {
  return keyIdOf(message) !== undefined || isDamaged(message);
}

/** `sealed`, with the fields of `row` that were sealed before, also if they were damaged. */
function keepSealed<R extends object>(row: R, sealed: R): R {
  const before = Object.entries(row).filter(
    ([, value]) => keyIdOf(value) !== undefined || isDamaged(value),
  );
  return { ...sealed, ...Object.fromEntries(before) };
}
