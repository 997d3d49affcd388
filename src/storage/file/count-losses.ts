import type { LogState } from './log-state.js';

/** How many runs in a row are lost without a record of their own, counting the one whose owner is gone, if one is. */
export function countLosses({ last_seq, taken_seq, losses, owner }: LogState): number {
  if (last_seq > taken_seq) return 0;
  return losses + (owner === null ? 0 : 1);
}
