import type { InteractionStore } from '../../src/persistence/interaction.store.js';

/** The ids of what should run and nobody holds. */
export async function listUnowned(store: InteractionStore, limit: number): Promise<string[]> {
  return (await store.listUnowned(limit)).map(({ id }) => id);
}
