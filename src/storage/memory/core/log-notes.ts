import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { RequestRow } from '../../../persistence/rows/request-rows.js';
import type {
  EditedText,
  InteractionHead,
  InteractionStart,
  LogAppend,
  LogNote,
} from './journal.js';

/** The user message is in record 1, or in the start of an interaction that was queued. */
export function toHead(start: InteractionStart, first: LogRecord | undefined): InteractionHead {
  if (start.queued) return { start, user_message: start.queued.user_message };
  const body = first?.body;
  const user_message = body?.type === 'INTERACTION_STARTED' ? body.user_message : '';
  return { start, user_message };
}

/** The start of a queued interaction with its last text. */
export function editStart(
  start: InteractionStart,
  { user_message, settings }: EditedText,
): InteractionStart {
  const { interrupts = null } = start.queued ?? {};
  return { ...start, settings, queued: { user_message, interrupts } };
}

export function isResultOf({ body }: LogRecord, callId: string): boolean {
  return body.type === 'TOOL_RESULT' && body.id === callId;
}

/** In the order of the log. */
export function toNotes({ requests = [], settled, intervention }: LogAppend): LogNote[] {
  return [
    ...requests.map((request) => ({ request })),
    ...(settled ? [{ settled }] : []),
    ...(intervention ? [{ intervention }] : []),
  ];
}

/** The requests of an interaction after `notes`, in the order of their creation. */
export function foldRequests(
  rows: readonly RequestRow[],
  notes: readonly LogNote[],
  known: Pick<InteractionRow, 'id' | 'chat_id' | 'chat_uid' | 'tenant_id'>,
): readonly RequestRow[] {
  const { id: interaction_id, chat_id, chat_uid, tenant_id } = known;
  let folded = rows;
  for (const note of notes) {
    if ('request' in note) {
      const made = { ...note.request, interaction_id, chat_id, chat_uid, tenant_id };
      folded = [...folded, { ...made, status: 'pending', settlement: null, settled_at: null }];
    } else if ('settled' in note) {
      const { id, settlement, settled_at } = note.settled;
      const settled = { status: 'settled', settlement, settled_at } as const;
      folded = folded.map((row) => (row.id === id ? { ...row, ...settled } : row));
    }
  }
  return folded;
}

/**
 * A copy, as JSON would return it.
 * @throws TypeError for values that JSON can't represent
 */
export function copyJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
