import { firstRecord } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { StartInteraction } from '../../persistence/rows/store-rows.js';
import type { LogStart, QueuedStart } from './log-start.js';
import type { LogState } from './log-state.js';
import { queuedState, startedState } from './log-transitions.js';
import type { StoredChat } from './stored-chat.js';

/** What the first frame of an interaction's log holds. */
export interface NewLog {
  readonly start: LogStart;
  /** None while it is queued. */
  readonly first?: LogRecord;
  readonly state: LogState;
}

/** One that begins at once. `chat` is undefined if this start creates it. */
export function newInteraction(
  request: StartInteraction,
  chat: StoredChat | undefined,
): Required<NewLog> {
  const { user_message, created_at } = request.interaction;
  const start = newStart(request, chat);
  const parent_id = parentOf(request, chat, chat?.row.head_interaction_id ?? null);
  const turn = (chat?.turns ?? 0) + 1;
  const state = startedState(request.lease?.owner ?? null, { parent_id, turn });
  const { epoch } = state;
  const begun = { ...start, user_message, parent_id };
  const first = firstRecord(begun, { epoch, at: created_at });
  return { start, first, state };
}

/** One that waits for its turn, in front of all others if it interrupts. */
export function newQueued(request: StartInteraction, chat: StoredChat): NewLog {
  const { user_message } = request.interaction;
  const interrupts = request.on_conflict === 'interrupt';
  const queued: QueuedStart = {
    user_message,
    interrupts: (interrupts && chat.active?.id) || null,
  };
  const ranks = chat.queued.map((log) => log.state.queue_rank ?? 0);
  const queue_rank = interrupts ? Math.min(1, ...ranks) - 1 : Math.max(0, ...ranks) + 1;
  const parent_id = parentOf(request, chat, null);
  return {
    start: { ...newStart(request, chat), queued },
    state: queuedState({ parent_id, queue_rank }),
  };
}

function newStart(request: StartInteraction, chat: StoredChat | undefined): LogStart {
  const { interaction, idempotency = null, edited_from = null } = request;
  const { id, chat_id, agent, agent_id, model, settings, created_at, metadata } = interaction;
  const ordinal = chat?.nextOrdinal ?? 1;
  const created = chat ? null : request.chat;
  return {
    ...{ id, chat_id, ordinal, created_at, agent, agent_id, model },
    ...{ settings, edited_from, idempotency, metadata, chat: created },
  };
}

/** An edit goes on from what came before the edited one. */
function parentOf(
  { edited_from }: StartInteraction,
  chat: StoredChat | undefined,
  otherwise: string | null,
): string | null {
  if (edited_from === undefined) return otherwise;
  return chat?.find(edited_from)?.state.parent_id ?? null;
}
