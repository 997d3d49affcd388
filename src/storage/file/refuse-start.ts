import type { StartInteraction, StartOutcome } from '../../persistence/rows/store-rows.js';
import { MAX_QUEUED } from '../../persistence/rows/store-rows.js';
import type { StoredChat } from './stored-chat.js';

const KEY_REUSED: StartOutcome = { outcome: 'key_reused' };
const UNKNOWN_EDIT: StartOutcome = { outcome: 'unknown_edit' };
const EDITS_QUEUED: StartOutcome = { outcome: 'edits_queued' };
const QUEUE_FULL: StartOutcome = { outcome: 'queue_full' };

/** Why nothing starts: the idempotency key comes first, then the edited interaction, then whether the chat is busy. */
export async function refuseStart(
  chat: StoredChat | undefined,
  request: StartInteraction,
): Promise<StartOutcome | undefined> {
  if (!chat) return request.edited_from === undefined ? undefined : UNKNOWN_EDIT;
  return (
    (await findRepeated(chat, request)) ?? refuseEdit(chat, request) ?? refuseBusy(chat, request)
  );
}

async function findRepeated(
  chat: StoredChat,
  { idempotency }: StartInteraction,
): Promise<StartOutcome | undefined> {
  const seen = idempotency && chat.findByIdempotencyKey(idempotency.key);
  if (!seen) return undefined;
  const same = seen.known.idempotency?.fingerprint === idempotency.fingerprint;
  return same ? { outcome: 'repeated', interaction: await seen.readRow() } : KEY_REUSED;
}

function refuseEdit(chat: StoredChat, { edited_from }: StartInteraction): StartOutcome | undefined {
  if (edited_from === undefined) return undefined;
  const edited = chat.find(edited_from);
  if (!edited) return UNKNOWN_EDIT;
  return edited.isQueued ? EDITS_QUEUED : undefined;
}

function refuseBusy(chat: StoredChat, { on_conflict }: StartInteraction): StartOutcome | undefined {
  const holder = chat.active ?? chat.queued[0];
  if (!holder) return undefined;
  if (on_conflict === 'reject') return { outcome: 'busy', active_interaction_id: holder.id };
  return chat.queued.length >= MAX_QUEUED ? QUEUE_FULL : undefined;
}
