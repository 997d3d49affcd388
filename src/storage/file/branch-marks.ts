import type { InteractionLog } from './interaction-log.js';
import { walkBranch } from './walk-branch.js';

export interface LogsOfChat {
  readonly logs: readonly InteractionLog[];
  find(interactionId: string): InteractionLog | undefined;
}

/** What `supersededAt` becomes; of what stays as it is, nothing is said. */
export type BranchMarks = ReadonlyMap<InteractionLog, string | null>;

/** Makes the branch that ends with `headId` the active one: what is not on it, and not queued, is superseded as of `at`, unless it was before. */
export function branchMarks(chat: LogsOfChat, headId: string, at: string): BranchMarks {
  const branch = new Set(walkBranch((id) => chat.find(id), headId));
  const marks = new Map<InteractionLog, string | null>();
  for (const log of chat.logs) {
    if (log.isQueued) continue;
    const mark = branch.has(log) ? null : (log.supersededAt ?? at);
    if (mark !== log.supersededAt) marks.set(log, mark);
  }
  return marks;
}
