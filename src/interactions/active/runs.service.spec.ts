import { at, started } from '../../../test/contracts/interaction-store/fixtures.js';
import { memoryStore } from '../../../test/support/store/whole-store.js';
import type { AuditTrail } from '../../audit/audit-trail.js';
import { LOCAL_PRINCIPAL } from '../../auth/principal.js';
import type { CancellationService } from '../../cancellation/cancellation.service.js';
import { RunsService } from './runs.service.js';

const LONG = 'x'.repeat(1024 * 1024);

describe(RunsService.name, () => {
  const cancellation = {
    request: ({ id }: { id: string }) => store.requestCancel(id, 'operator'),
  } as unknown as CancellationService;
  const audit = { note: () => Promise.resolve() } as unknown as AuditTrail;
  const store = memoryStore();
  const runs = new RunsService(store, store, cancellation, audit);
  const made: string[] = [];
  const reads: number[] = [];
  const { listRuns } = store;
  store.listRuns = async (page) => {
    const rows = await listRuns(page);
    reads.push(rows.length);
    return rows;
  };

  beforeAll(async () => {
    for (let n = 0; n < 14; n++)
      made.push((await started(store, { created_at: at(n), user_message: LONG })).id);
  });

  it('lists them on pages of a bounded size', async () => {
    const first = await runs.list(LOCAL_PRINCIPAL, { limit: 50 });
    expect(first.items.map(({ id }) => id)).toEqual(made.slice(0, 7));
    const rest = await runs.list(LOCAL_PRINCIPAL, { limit: 50, cursor: first.next_cursor! });
    expect(rest.items.map(({ id }) => id)).toEqual(made.slice(7));
    expect(rest.next_cursor).toBeNull();
    expect(reads).toEqual([8, 7]);
  });

  it('cancels all of them without a list of their messages', async () => {
    reads.length = 0;
    const { items, has_more } = await runs.cancel(LOCAL_PRINCIPAL, { all: true });
    expect(items).toEqual(
      made.map((interaction_id) => ({
        ...{ interaction_id, tenant_id: LOCAL_PRINCIPAL.tenant_id },
        ...{ outcome: 'cancelling', status: 'RUNNING' },
      })),
    );
    expect(has_more).toBe(false);
    expect(reads).toEqual([]);
  });
});
