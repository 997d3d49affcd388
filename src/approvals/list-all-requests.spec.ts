import {
  HELD,
  newBatch,
  newRequest,
  started,
} from '../../test/contracts/interaction-store/fixtures.js';
import { memoryStore } from '../../test/support/store/whole-store.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import { listAllRequests } from './list-all-requests.js';

const MIB = 1024 * 1024;

describe(listAllRequests, () => {
  it.each([
    ['one page', 3, [3]],
    ['pages of a bounded size', 18, [8, 8, 2]],
  ])('reads %s', async (_, count, pages) => {
    const store = memoryStore();
    const { id: interaction_id } = await started(store, { lease: HELD });
    const requests = Array.from({ length: count }, (__, n) =>
      newRequest(n, { event: { question: 'x'.repeat(MIB) } }),
    );
    await store.append([newBatch(interaction_id, [2, 2], { requests })]);
    const reads: number[] = [];
    const listRequests = store.listRequests.bind(store);
    store.listRequests = async (page) => {
      const rows = await listRequests(page);
      reads.push(rows.length);
      return rows;
    };
    const seen: string[] = [];
    for await (const { id } of listAllRequests(store, { viewer: ANY_TENANT, interaction_id }))
      seen.push(id);
    expect(seen).toEqual(requests.map(({ id }) => id));
    expect(reads).toEqual(pages);
  });
});
