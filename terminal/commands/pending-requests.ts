import type { Client } from '../../client/index.js';
import { UsageError } from './usage-error.js';

export type PendingRequest = Awaited<ReturnType<Client['requests']['list']>>['items'][number];

const PAGE = 200;

/** All requests that wait, oldest first. */
export async function pendingRequests(client: Client): Promise<PendingRequest[]> {
  const found: PendingRequest[] = [];
  for (let cursor: string | null = null; ;) {
    const query = { status: 'pending' as const, limit: PAGE, ...(cursor !== null && { cursor }) };
    const page: Awaited<ReturnType<Client['requests']['list']>> = await client.requests.list(query);
    found.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === null) return found;
  }
}

/** The request with the id, or the one whose id ends with it. @throws UsageError */
export async function findRequest(client: Client, id: string): Promise<PendingRequest> {
  const all = await pendingRequests(client);
  const exact = all.find((it) => it.id === id);
  if (exact) return exact;
  const fitting = id === '' ? [] : all.filter((it) => it.id.endsWith(id));
  if (fitting.length === 1) return fitting[0]!;
  const count = fitting.length === 0 ? 'No request' : `${fitting.length} requests`;
  throw new UsageError(`${count} ${JSON.stringify(id)} waits. See what does: parley inbox`);
}
