import type { InteractionLog } from './interaction-log.js';
import type { StoredChat } from './stored-chat.js';
import { walkBranch } from './walk-branch.js';

export interface InteractionPage {
  readonly superseded: boolean;
  readonly limit: number;
  readonly before?: string;
}

/** See `InteractionStore.listInteractions`. Goes no further back than the page does. */
export function pageOf(
  chat: StoredChat,
  { superseded, limit, before }: InteractionPage,
): InteractionLog[] {
  const mark = before === undefined ? undefined : chat.find(before);
  if (before !== undefined && !mark) return [];
  if (superseded) return pageOfAll(chat.logs, { limit, mark });
  const page: InteractionLog[] = [];
  for (const log of activeBefore(chat, mark)) {
    if (page.length >= limit) break;
    page.push(log);
  }
  return page;
}

function pageOfAll(
  logs: readonly InteractionLog[],
  { limit, mark }: { limit: number; mark: InteractionLog | undefined },
): InteractionLog[] {
  const end = mark ? logs.indexOf(mark) : logs.length;
  return logs.slice(Math.max(0, end - limit), end).toReversed();
}

/** What is queued, last first, then the active branch from its head. */
function* activeBefore(
  chat: StoredChat,
  mark: InteractionLog | undefined,
): Generator<InteractionLog> {
  const fromQueue = !mark || mark.isQueued;
  if (fromQueue) yield* queuedBefore(chat, mark);
  const from = fromQueue ? chat.row.head_interaction_id : mark.state.parent_id;
  for (const log of walkBranch((id) => chat.find(id), from))
    if (log.supersededAt === null) yield log;
}

function queuedBefore({ queued }: StoredChat, mark: InteractionLog | undefined): InteractionLog[] {
  return queued.slice(0, mark ? queued.indexOf(mark) : queued.length).toReversed();
}
