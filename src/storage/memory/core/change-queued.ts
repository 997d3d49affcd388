import type { InteractionKey } from '../../../persistence/rows/interaction-row.js';
import type { QueuedChange, QueuedOutcome } from '../../../persistence/rows/start-rows.js';
import type { StoreCore } from './store-core.js';
import type { StoredInteraction } from './stored-interaction.js';

const NOT_QUEUED = { outcome: 'not_queued' } as const;

/** Under the mutex of the chat, as promotion: one append to one log is the change. */
export async function changeQueued(
  core: StoreCore,
  { id, tenant_id }: InteractionKey,
  { text, before }: QueuedChange,
): Promise<QueuedOutcome> {
  const outcome = await core.change<QueuedOutcome>(id, async (interaction, chat) => {
    const { known, state } = interaction;
    if (known.tenant_id !== tenant_id || !willBegin(interaction)) return NOT_QUEUED;
    const others = chat.queued.filter((each) => each !== interaction && willBegin(each));
    const place =
      typeof before === 'string' ? others.findIndex((each) => each.id === before) : others.length;
    if (place < 0) return { outcome: 'unknown_place' };
    const queue_rank = before === undefined ? state.queue_rank : await rankAt(others, place);
    const queue_changes = (state.queue_changes ?? 0) + 1;
    const edited = text && { edited: text };
    await interaction.commit({ ...state, queue_rank, queue_changes }, { records: [], ...edited });
    chat.journal.refresh(chat.uid, { interactions: [id] });
    return { outcome: 'changed', interaction: await interaction.readRow() };
  });
  return outcome ?? NOT_QUEUED;
}

function willBegin({ isQueued, state }: StoredInteraction): boolean {
  return isQueued && state.cancel_reason === null;
}

/** A rank between those of its new neighbours: no other log has to change. */
async function rankAt(others: readonly StoredInteraction[], place: number): Promise<number> {
  const [low, high] = [rankOf(others[place - 1]), rankOf(others[place])];
  if (high === undefined) return (low ?? 0) + 1;
  if (low === undefined) return high - 1;
  const middle = (low + high) / 2;
  return low < middle && middle < high ? middle : makeRoom(others, place);
}

/**
 * Moves those from the place on behind all ranks, the last one first: after each of the appends
 * they are in the same order.
 */
async function makeRoom(others: readonly StoredInteraction[], place: number): Promise<number> {
  const room = rankOf(others.at(-1))! + 1;
  for (let i = others.length - 1; i >= place; i--)
    await others[i]!.commit({ ...others[i]!.state, queue_rank: room + 1 + i - place });
  return room;
}

function rankOf(interaction: StoredInteraction | undefined): number | undefined {
  return interaction && (interaction.state.queue_rank ?? 0);
}
