import pg from 'pg';
import { Database } from '../../src/storage/typeorm/connection/database.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import type { TestDatabase } from '../support/store/databases.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';

const fault = await findPostgresFault();

(fault ? describe.skip : describe)(`${Database.name} that is let in no more`, () => {
  let tested: TestDatabase & { readonly url: string };
  let admin: pg.Client;
  let name: string;

  beforeAll(async () => {
    tested = await openTestPostgres();
    const url = new URL(tested.url);
    name = url.pathname.slice(1);
    url.pathname = '/postgres';
    admin = new pg.Client(url.href);
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await tested.close();
  });

  const letIn = (isOpen: boolean): Promise<unknown> =>
    admin.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS ${isOpen}`);

  it('is away, and has refused nothing of what was to be written', async () => {
    const ask = () => tested.database.query({ text: 'SELECT 1 AS one' }, []);
    expect(await ask()).toEqual([{ one: 1 }]);
    await letIn(false);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      name,
    ]);
    for (let n = 0; n < 3; n++)
      await expect(ask()).rejects.toMatchObject({ code: 'store_unavailable', kind: 'unavailable' });
    await letIn(true);
    expect(await ask()).toEqual([{ one: 1 }]);
  });

  it('says what to do about one that is not there', async () => {
    const url = new URL(tested.url);
    url.pathname = '/parley_test_nowhere';
    const opened = openDatabase({ url: url.href, dataDir: '', migrate: false });
    await expect(opened).rejects.toThrow(
      /"parley_test_nowhere".* Create it, for example with createdb/,
    );
  });
});
