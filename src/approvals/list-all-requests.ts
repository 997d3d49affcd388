import type { RequestStore } from '../persistence/request.store.js';
import type { RequestPage, RequestRow } from '../persistence/rows/request-rows.js';

const PAGE = 200;

/** Pages through requests, oldest first. */
export async function* listAllRequests(
  requests: RequestStore,
  filter: Omit<RequestPage, 'limit' | 'after'>,
): AsyncGenerator<RequestRow> {
  for (let last: RequestRow | undefined; ;) {
    const page = await requests.listRequests({
      ...filter,
      limit: PAGE,
      ...(last && { after: last }),
    });
    yield* page;
    last = page.at(-1);
    if (page.length < PAGE) return;
  }
}
