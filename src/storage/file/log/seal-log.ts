import type { WrappedKey } from '../../../encryption/data-key-store.js';
import { textsOf } from '../../../persistence/chat-texts.js';
import type { InteractionSettings } from '../../../persistence/rows/interaction-row.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { Message } from '../../../protocol/message.js';
import type { SavedKind, SavedRows } from '../../saved-texts.js';
import type { InteractionState } from '../../memory/core/interaction-state.js';
import type { EditedText, InteractionStart, LogNote } from '../../memory/core/journal.js';
import { spanOf } from './log-format.js';
import type { Commit, Span } from './log-format.js';

/** Seals a row of the chat. */
export type SealOwn = <K extends SavedKind, R extends SavedRows[K]>(kind: K, row: R) => Promise<R>;

export interface LogSealing {
  readonly sealRow: SealOwn;
  /** The key of the chat: the start that created the chat has it. */
  readonly data_key: WrappedKey;
}

/** A line of a log, parsed. */
type Line =
  | { start: InteractionStart }
  | { edited: EditedText }
  | { end: { added_messages: readonly Message[] } }
  | { commit: Commit }
  | LogNote
  | Omit<LogRecord, 'interaction_id'>;

/** The other fields, where a line has only a part of an interaction. */
const EMPTY = {
  user_message: '',
  settings: {} as InteractionSettings,
  metadata: {},
  error: null,
  cancel_reason: null,
  added_messages: null,
  idempotency_fingerprint: null,
};

/** A whole log with all its texts sealed, and with the lengths of its appends as they are then. */
export async function sealLog(id: string, log: Buffer, sealing: LogSealing): Promise<Buffer> {
  const lines = log
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
  const message = firstMessage(lines);
  const texts: string[] = [];
  let bytes = 0;
  let end_bytes = 0;
  let offset = 0;
  let edited: Span | undefined;
  for (const line of lines) {
    const sealed = await sealLine(line, { ...sealing, id, message });
    const isCommit = 'commit' in sealed;
    const lengths = { bytes, end_bytes, ...(edited && { edited }) };
    const text = toLine(isCommit ? { commit: { ...sealed.commit, ...lengths } } : sealed);
    texts.push(text);
    if ('edited' in sealed) edited = spanOf(offset, text);
    const length = Buffer.byteLength(text);
    offset += length;
    end_bytes = 'end' in line ? length : 0;
    bytes = isCommit ? 0 : bytes + length;
  }
  return Buffer.from(texts.join(''));
}

/** The user message as the log has it. */
function firstMessage(lines: readonly Line[]): string {
  for (const line of lines) {
    if ('start' in line && line.start.queued) return line.start.queued.user_message;
    if ('body' in line && line.body.type === 'INTERACTION_STARTED') return line.body.user_message;
  }
  return '';
}

interface LineSealing extends LogSealing {
  readonly id: string;
  readonly message: string;
}

async function sealLine(line: Line, sealing: LineSealing): Promise<Line> {
  const { id, sealRow } = sealing;
  if ('start' in line) return { start: await sealStart(line.start, sealing) };
  if ('edited' in line) {
    const { user_message, settings } = await sealRow('interactions', {
      ...{ ...EMPTY, id },
      ...line.edited,
    });
    return { edited: { user_message, settings } };
  }
  if ('commit' in line) {
    const { state } = line.commit;
    const { error, cancel_reason } = await sealRow('interactions', { ...EMPTY, id, ...state });
    const sealed: InteractionState = { ...state, error, cancel_reason };
    return { commit: { ...line.commit, state: sealed } };
  }
  if ('end' in line) {
    const row = await sealRow('interactions', { ...EMPTY, id, ...line.end });
    return { end: { added_messages: row.added_messages ?? [] } };
  }
  if ('request' in line) {
    const { event } = await sealRow('requests', { ...line.request, settlement: null });
    return { request: { ...line.request, event } };
  }
  if ('settled' in line) {
    const { settlement } = await sealRow('requests', { ...line.settled, event: {} });
    return { settled: { ...line.settled, settlement } };
  }
  if ('intervention' in line)
    return { intervention: await sealRow('interventions', line.intervention) };
  const { body, hidden } = await sealRow('records', { interaction_id: id, ...line });
  return { ...line, body, hidden };
}

/** A start without `chat_texts` derives them from its message, which is sealed from here on. */
async function sealStart(start: InteractionStart, sealing: LineSealing): Promise<InteractionStart> {
  const { id, message, data_key, sealRow } = sealing;
  const { chat, queued, idempotency, chat_texts = textsOf(message) } = start;
  const idempotency_fingerprint = idempotency?.fingerprint ?? null;
  const own = { id, user_message: queued?.user_message ?? '', idempotency_fingerprint };
  const sealed = await sealRow('interactions', { ...EMPTY, ...start, ...own });
  const { settings, metadata, user_message, idempotency_fingerprint: fingerprint } = sealed;
  return {
    ...start,
    ...{ settings, metadata },
    idempotency: idempotency && { ...idempotency, fingerprint: fingerprint! },
    chat: chat && { data_key, ...(await sealRow('chats', chat)) },
    chat_texts: await sealRow('chats', chat_texts),
    ...(queued && { queued: { ...queued, user_message } }),
  };
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
