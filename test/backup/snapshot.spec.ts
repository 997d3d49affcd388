import { randomUUID } from 'node:crypto';
import { openTables } from '../../src/storage/typeorm/backup/open-tables.js';
import { createStores } from '../../src/storage/typeorm/create-stores.js';
import { chatOf } from '../support/store/chat-parts.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';

const fault = await findPostgresFault();
const created_at = '2026-01-15T10:00:00.000Z';

(fault ? describe.skip : describe)('The tables of a Postgres server in a backup', () => {
  let opened: Awaited<ReturnType<typeof openTestPostgres>>;

  beforeAll(async () => {
    opened = await openTestPostgres();
  });
  afterAll(() => opened.close());

  /** A row in each of two tables, of which the backup reads one after the other. */
  const save = async (id: string): Promise<void> => {
    const { chats, audit } = createStores(opened.database);
    await chats.createChat(chatOf({ uid: randomUUID(), id, tenant_id: 'acme', created_at }));
    const entry = { id, at: created_at, tenant_id: 'acme', user_id: 'ann' };
    await audit.add({ ...entry, action: 'chat.created', detail: {} });
  };

  it('are of one moment, also those that are read after a later change', async () => {
    await save('before');
    const tables = await openTables({ url: opened.url });
    const read: Record<string, unknown[]> = {};
    for await (const { table, columns, rows } of tables.read()) {
      if (Object.keys(read).length === 0) await save('meanwhile');
      read[table] = rows.map((row) => row[columns.indexOf('id')]);
    }
    await tables.close();
    expect(read).toMatchObject({ chats: ['before'], audit: ['before'] });
  });
});
