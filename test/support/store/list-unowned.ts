import type { WholeStore } from './whole-store.js';

/** The ids of what should run and nobody holds. */
export async function listUnowned(store: WholeStore, limit: number): Promise<string[]> {
  return (await store.listUnowned(limit)).map(({ id }) => id);
}
