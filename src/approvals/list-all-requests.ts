import { MAX_PAGE_BYTES, jsonBytes } from '../kernel/page-cursor.js';
import type { RequestStore } from '../persistence/request.store.js';
import type { RequestPage, RequestRow } from '../persistence/rows/request-rows.js';

const PAGE = 200;
/**
 * A page that has fewer rows and fewer bytes is the last. Half of the limit, as a store counts what
 * it has saved, which may be longer.
 */
const SHORT = MAX_PAGE_BYTES / 2;

/** Pages through requests, oldest first. */
export async function* listAllRequests(
  requests: RequestStore,
  filter: Omit<RequestPage, 'limit' | 'bytes' | 'after'>,
): AsyncGenerator<RequestRow> {
  for (let last: RequestRow | undefined; ;) {
    const page = await requests.listRequests({
      ...filter,
      ...{ limit: PAGE, bytes: MAX_PAGE_BYTES },
      ...(last && { after: last }),
    });
    yield* page;
    last = page.at(-1);
    if (page.length < PAGE && jsonBytes(page) < SHORT) return;
  }
}
