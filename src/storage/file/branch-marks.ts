import type { InteractionLog } from './interaction-log.js';

/** What `supersededAt` becomes; of what stays as it is, nothing is said. */
export type BranchMarks = ReadonlyMap<InteractionLog, string | null>;

/** Makes the branch that ends with `headId` the active one: what is not on it, and not queued, is superseded as of `at`, unless it was before. */
export function branchMarks(
  logs: readonly InteractionLog[],
  headId: string,
  at: string,
): BranchMarks {
  const branch = branchOf(logs, headId);
  const marks = new Map<InteractionLog, string | null>();
  for (const log of logs) {
    if (log.isQueued) continue;
    const mark = branch.has(log) ? null : (log.supersededAt ?? at);
    if (mark !== log.supersededAt) marks.set(log, mark);
  }
  return marks;
}

function branchOf(logs: readonly InteractionLog[], headId: string): Set<InteractionLog> {
  const byId = new Map(logs.map((log) => [log.id, log]));
  const branch = new Set<InteractionLog>();
  let log = byId.get(headId);
  while (log && !branch.has(log)) {
    branch.add(log);
    log = log.state.parent_id === null ? undefined : byId.get(log.state.parent_id);
  }
  return branch;
}
