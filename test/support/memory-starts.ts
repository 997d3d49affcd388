import type { StartInteraction, StartOutcome } from '../../src/persistence/rows/store-rows.js';
import { MAX_QUEUED } from '../../src/persistence/rows/store-rows.js';
import type { MemoryRows } from './memory-rows.js';
import { isQueued } from './memory-rows.js';

/** What a start in a `MemoryStore` comes to. */
export function startIn(rows: MemoryRows, start: StartInteraction): StartOutcome {
  const { chat, interaction, idempotency } = start;
  const seen = idempotency && rows.chats.get(chat.id)?.keys.get(idempotency.key);
  if (seen && seen.fingerprint !== idempotency.fingerprint) return { outcome: 'key_reused' };
  if (seen) return { outcome: 'repeated', interaction: rows.get(seen.id).row };
  const refused = refuseEdit(rows, start);
  if (refused) return refused;
  const isBusy = rows.unfinished(chat.id).length > 0;
  const outcome = isBusy ? queueIn(rows, start) : beginIn(rows, start);
  if (idempotency && 'interaction' in outcome) {
    const { fingerprint } = idempotency;
    rows.chats.get(chat.id)!.keys.set(idempotency.key, { fingerprint, id: interaction.id });
  }
  return outcome;
}

function refuseEdit(
  rows: MemoryRows,
  { chat, edited_from }: StartInteraction,
): StartOutcome | undefined {
  if (edited_from === undefined) return undefined;
  const edited = rows.interactions.get(edited_from);
  if (edited?.row.chat_id !== chat.id) return { outcome: 'unknown_edit' };
  return isQueued(edited) ? { outcome: 'edits_queued' } : undefined;
}

function beginIn(rows: MemoryRows, start: StartInteraction): StartOutcome {
  if (!rows.chats.has(start.chat.id)) rows.insertChat(start.chat);
  const saved = rows.insert(start, 0);
  if (start.lease) saved.row = { ...saved.row, epoch: 1 };
  const first = rows.begin(saved, start.interaction.created_at);
  return { outcome: 'started', interaction: saved.row, first };
}

function queueIn(rows: MemoryRows, start: StartInteraction): StartOutcome {
  const { chat, on_conflict } = start;
  const unfinished = rows.unfinished(chat.id);
  const ranks = unfinished.filter(isQueued).map(({ rank }) => rank);
  if (on_conflict === 'reject')
    return { outcome: 'busy', active_interaction_id: unfinished[0]!.row.id };
  if (ranks.length >= MAX_QUEUED) return { outcome: 'queue_full' };
  const inFront = on_conflict === 'interrupt';
  const rank = inFront ? Math.min(0, ...ranks) - 1 : Math.max(0, ...ranks) + 1;
  const interrupted = inFront ? rows.active(chat.id) : undefined;
  if (interrupted) rows.cancel(interrupted, 'Interrupted by a new message.');
  const interaction = rows.insert(start, rank).row;
  return { outcome: 'queued', interaction, interrupted: interrupted?.row.id ?? null };
}
