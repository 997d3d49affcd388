import type { ArchivedInteraction, ChatArchive } from '../../persistence/chat-archive.js';
import type { InteractionStore } from '../../persistence/interaction.store.js';

/** Interactions that are in memory at once. */
const PAGE = 20;

/**
 * The interactions that a chat has now, each after the one that it goes on from. That is the order of their ids, but for what was asked for
 * later and jumped the queue: that comes before what went on from it.
 */
export async function* parentsFirst(
  archive: ChatArchive,
  store: Pick<InteractionStore, 'findInteraction'>,
  chatId: string,
): AsyncGenerator<ArchivedInteraction> {
  const last = await archive.findLastInteractionId(chatId);
  if (last === undefined) return;
  const early = new Set<string>();
  for (let after = ''; ;) {
    const page = await archive.listInteractions(chatId, { limit: PAGE, after });
    for (const row of page) {
      if (row.id > last) return;
      if (early.delete(row.id)) continue;
      yield* await lineageOf(row, { store, early });
    }
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

/** The row, after those that it goes on from and that are not out yet. */
async function lineageOf(
  row: ArchivedInteraction,
  { store, early }: { store: Pick<InteractionStore, 'findInteraction'>; early: Set<string> },
): Promise<ArchivedInteraction[]> {
  const lineage = [row];
  for (let id = row.parent_id; id !== null && id > row.id && !early.has(id);) {
    const parent = await store.findInteraction(id);
    if (!parent) break;
    early.add(id);
    lineage.unshift({ ...parent, begun: true });
    id = parent.parent_id;
  }
  return lineage;
}
