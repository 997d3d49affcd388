import { jest } from '@jest/globals';
import pg from 'pg';
import { TypeOrmUsageStore } from '../../src/storage/typeorm/stores/typeorm-usage-store.js';
import { USAGE_KEYS } from '../../src/quotas/usage-store.js';
import type { UsageKey } from '../../src/quotas/usage-store.js';
import type { TestDatabase } from '../support/store/databases.js';
import { allTenants } from '../support/store/all-tenants.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';

const DAYS = 400;
/** 500 interactions a day of one tenant, and 5 a day of each of a hundred others. */
const FILL = [
  `INSERT INTO chats (uid, id, tenant_id, owner, visibility, settings, messages, metadata, created_at, updated_at)
   SELECT gen_random_uuid(), 'chat', 'tenant' || t, 'ann', 'private', '{}', '[]', '{}', now(), now() FROM generate_series(0, 100) t`,
  `INSERT INTO interactions (id, chat_uid, chat_id, tenant_id, started_by, status, user_message, agent, model, settings,
     input_tokens, output_tokens, created_at, completed_at, started_at, last_seq, metadata, epoch, agent_id)
   SELECT 'int_' || c.tenant_id || '_' || n, c.uid, c.id, c.tenant_id, 'user' || n % 50, 'COMPLETED', repeat('x', 200), 'react',
     'openai/model' || n % 7, '{}', 100, 10, at, at, at, 4, '{}', 1, 'agent'
   FROM chats c CROSS JOIN LATERAL (
     SELECT n, timestamptz '2026-01-01 12:00Z' + n % ${DAYS} * interval '1 day' AS at
     FROM generate_series(0, CASE c.tenant_id WHEN 'tenant0' THEN 199999 ELSE 1999 END) n
   ) days`,
  `INSERT INTO deleted_usage_days (day, tenant_id, model, user_id, interactions, input_tokens, output_tokens)
   SELECT date '2026-01-01' + d, 'tenant' || t, 'openai/model1', 'ann', 1, 100, 10
   FROM generate_series(0, ${DAYS - 1}) d, generate_series(0, 100) t`,
  'VACUUM ANALYZE interactions',
  'ANALYZE deleted_usage_days',
];

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

/** To fill it takes half a minute, and minutes on a busy machine. */
describeOnPostgres(
  `the usage of a tenant with 200,000 interactions${fault ? `: ${fault}` : ''}`,
  () => {
    let tested: TestDatabase;

    beforeAll(async () => {
      const opened = await openTestPostgres();
      tested = opened;
      const client = new pg.Client(allTenants(opened.url)); // a statement may take minutes
      await client.connect();
      for (const text of FILL) await client.query(text);
      await client.end();
    }, 600_000);

    afterAll(() => tested?.close());

    /** The sums, and the plan by which Postgres has found them. */
    async function summed(by: UsageKey, since: string, until: string, tenant_id: string | null) {
      const { database } = tested;
      const queries = jest.spyOn(database, 'query');
      const store = new TypeOrmUsageStore(database);
      const sums = await store.sumUsage({ tenant_id, by, since, until, limit: 1001 } as never);
      const [statement, values] = queries.mock.calls[0]!;
      queries.mockRestore();
      const text = `EXPLAIN (ANALYZE, BUFFERS, FORMAT TEXT) ${statement.text}`;
      const rows = await database.query<{ 'QUERY PLAN': string }>({ text }, values);
      return { sums, plan: rows.map((row) => row['QUERY PLAN']).join('\n') };
    }

    it.each(USAGE_KEYS)('is summed by %s over an index, of the asked days only', async (by) => {
      const { sums, plan } = await summed(by, '2026-06-01', '2026-06-30', 'tenant0');
      const interactions = sums.reduce((sum, each) => sum + each.interactions, 0);
      expect(interactions).toBe(30 * 500 + 30);
      if (process.env['SHOW_PLANS']) process.stdout.write(`${by}\n${plan}\n`);
      expect(plan).toContain('interactions_by_tenant');
      expect(plan).not.toContain('Seq Scan on interactions');
      const read = [...plan.matchAll(/interactions_by_tenant.*?actual time=\S+ rows=([\d.]+)/g)];
      for (const [, rows] of read) expect(Number(rows)).toBeLessThanOrEqual(15_000);
    });

    it('is summed of all tenants, and over the longest range', async () => {
      const all = await summed('day', '2026-06-01', '2026-06-30', null);
      expect(all.sums).toHaveLength(1001);
      expect(all.plan).not.toContain('Seq Scan on interactions');
      const year = await summed('user', '2026-01-01', '2027-02-04', 'tenant0');
      expect(year.sums.reduce((sum, each) => sum + each.interactions, 0)).toBe(200_400);
      if (process.env['SHOW_PLANS']) process.stdout.write(`${all.plan}\n${year.plan}\n`);
    });
  },
);
