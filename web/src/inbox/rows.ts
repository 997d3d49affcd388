import type { Feed, InboxRequest } from '../feed/feed-state';
import type { CardRequest } from '../requests/request';

/** The requests of one chat, the oldest first. */
export interface ChatGroup {
  readonly chat_id: string;
  readonly requests: readonly CardRequest[];
}

/**
 * All that waits, and all of `shown` that was settled meanwhile, in its old place: by chat, those
 * first that have waited longest.
 */
export function groupsOf(
  { requests, settled }: Feed,
  shown: ReadonlySet<string>,
): readonly ChatGroup[] {
  const done = Object.values(settled).filter(({ id }) => shown.has(id));
  const all = [...requests, ...done].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  const groups = new Map<string, CardRequest[]>();
  for (const request of all) {
    const group = groups.get(request.chat_id);
    if (group) group.push(toCard(request));
    else groups.set(request.chat_id, [toCard(request)]);
  }
  return [...groups].map(([chat_id, group]) => ({ chat_id, requests: group }));
}

function toCard({ settlement, settled_at, ...request }: InboxRequest): CardRequest {
  const at = settled_at ? { at: settled_at } : {};
  return { ...request, settlement: settlement && { ...settlement, ...at } };
}
