import { randomUUID } from 'node:crypto';
import { ALL_TENANTS, NO_TENANT, withinTenant } from '../../src/kernel/tenant-scope.js';
import { createStores } from '../../src/storage/typeorm/create-stores.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { bypassesRowSecurity } from '../../src/storage/typeorm/connection/row-security.js';
import { chatOf } from '../support/store/chat-parts.js';
import {
  createPostgresDatabase,
  findPostgresFault,
  SUPERUSER,
} from '../support/store/databases.js';

const fault = await findPostgresFault();
const created_at = '2026-01-15T10:00:00.000Z';
const TABLES = ['chats', 'interactions', 'deleted_usage', 'deleted_usage_days', 'requests'];
const OTHERS = ['permission_rules', 'files', 'audit', 'tasks', 'interventions', 'webhooks'];

(fault ? describe.skip : describe)('Row-level security', () => {
  let made: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let database: Database;

  beforeAll(async () => {
    made = await createPostgresDatabase();
    database = await openDatabase({ url: made.url, dataDir: '', migrate: true });
    const { chats, audit } = createStores(database);
    for (const tenant_id of ['acme', 'evil']) {
      await chats.createChat(chatOf({ uid: randomUUID(), id: 'one', tenant_id, created_at }));
      const entry = { id: `of-${tenant_id}`, at: created_at, tenant_id, user_id: 'ann' };
      await audit.add({ ...entry, action: 'chat.created', detail: {} });
    }
  });
  afterAll(async () => {
    await database?.close();
    await made.drop();
  });

  const tenantsIn = async (table: string, of = database): Promise<string[]> => {
    const rows = await of.query<{ tenant_id: string }>(
      { text: `SELECT DISTINCT tenant_id FROM ${table} ORDER BY 1` },
      [],
    );
    return rows.map(({ tenant_id }) => tenant_id);
  };

  it.each(['chats', 'audit'])(
    'hides other tenants from a query of %s without condition',
    async (table) => {
      for (const tenant of ['acme', 'evil', 'acme'])
        expect(await withinTenant(tenant, () => tenantsIn(table))).toEqual([tenant]);
      expect(await withinTenant(NO_TENANT, () => tenantsIn(table))).toEqual([]);
      expect(await withinTenant('none', () => tenantsIn(table))).toEqual([]);
    },
  );

  it('holds for many at once, in transactions and through entities', async () => {
    const text = 'SELECT tenant_id FROM chats';
    const ask = (tenant: string, n: number) =>
      withinTenant(tenant, async () => {
        if (n % 2) return database.entities((manager) => manager.query<object[]>(text));
        return (await database.batch([[{ text }, []]]))[0];
      });
    const asked = Array.from({ length: 40 }, (_, n) => (n % 3 ? 'acme' : 'evil'));
    const answers = await Promise.all(asked.map(ask));
    expect(answers).toEqual(asked.map((tenant_id) => [{ tenant_id }]));
  });

  it('lets a tenant change and add no row of another one', async () => {
    const text = `UPDATE chats SET title = 'mine' RETURNING tenant_id`;
    const changed = await withinTenant('evil', () => database.query({ text }, []));
    expect(changed).toEqual([{ tenant_id: 'evil' }]);
    const { chats } = createStores(database);
    const chat = chatOf({ uid: randomUUID(), id: 'two', tenant_id: 'acme', created_at });
    await expect(withinTenant('evil', () => chats.createChat(chat))).rejects.toThrow(
      /row-level security|refused/i,
    );
  });

  it('shows all to runs, and to what the server does by itself', async () => {
    const both = ['acme', 'evil'];
    expect(await tenantsIn('chats')).toEqual(both);
    expect(await withinTenant(ALL_TENANTS, () => tenantsIn('chats'))).toEqual(both);
    expect(await withinTenant('acme', () => tenantsIn('chats', database.runs))).toEqual(both);
  });

  it('is on for each table that names a tenant, or belongs to one that does', async () => {
    const text = `SELECT relname FROM pg_class
      WHERE relrowsecurity AND relforcerowsecurity AND relkind = 'r' ORDER BY 1`;
    const rows = await database.query<{ relname: string }>({ text }, []);
    expect(rows.map(({ relname }) => relname)).toEqual([...TABLES, ...OTHERS].toSorted());
  });

  it('is known not to bind a superuser', async () => {
    expect(await bypassesRowSecurity(database)).toBe(false);
    const url = new URL(made.url);
    url.username = SUPERUSER;
    const free = await openDatabase({ url: url.href, dataDir: '', migrate: false });
    expect(await bypassesRowSecurity(free)).toBe(true);
    await free.close();
  });
});
