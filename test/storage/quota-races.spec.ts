import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { startInteraction } from '../../src/storage/typeorm/interactions/start-interaction.js';
import type { StartOutcome } from '../../src/persistence/rows/start-rows.js';
import { LOCK_QUOTA } from '../../src/storage/typeorm/interactions/quota-statements.js';
import { newStart } from '../contracts/interaction-store/fixtures.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

/** Around the stores, which let one start of a tenant at a time through to the database. */
describeOnPostgres(`Quotas of two processes on Postgres${fault ? `: ${fault}` : ''}`, () => {
  const viewer = { tenant_id: 'acme', user_id: 'ann', is_admin: false };
  const closing: (() => Promise<void>)[] = [];
  let databases: Database[];

  beforeEach(async () => {
    const tested = await openTestPostgres();
    const other = await openDatabase({ url: tested.url, dataDir: '', migrate: false });
    closing.push(
      () => other.close(),
      () => tested.close(),
    );
    databases = [tested.database, other];
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const race = (tenant_id: string): Promise<StartOutcome[]> =>
    Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const start = newStart({ viewer: { ...viewer, tenant_id } });
        return startInteraction(databases[i % 2]!, { ...start, quota: { runs: 5 } });
      }),
    );
  const started = (outcomes: readonly StartOutcome[]): number =>
    outcomes.filter(({ outcome }) => outcome === 'started').length;

  it(`lets 5 of 20 simultaneous starts through, of each tenant (${LOCK_QUOTA.name})`, async () => {
    const [acme, other] = await Promise.all([race('acme'), race('other')]);
    expect([started(acme), started(other)]).toEqual([5, 5]);
    const rest = [...acme, ...other].filter(({ outcome }) => outcome !== 'started');
    expect(new Set(rest.map(({ outcome }) => outcome))).toEqual(new Set(['quota_exceeded']));
    const admin = { ...viewer, is_admin: true };
    expect(await typeOrmStore(databases[0]!).listChats({ viewer: admin, limit: 100 })).toHaveLength(
      5,
    );
  });
});
