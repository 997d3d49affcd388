import pg from 'pg';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import {
  createPostgresDatabase,
  findPostgresFault,
  SUPERUSER,
} from '../support/store/databases.js';

const fault = await findPostgresFault();

(fault ? describe.skip : describe)('A database that Parley cannot use', () => {
  let made: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let admin: pg.Client;
  let name: string;

  const create = async (template?: string, options?: string): Promise<void> => {
    made = await createPostgresDatabase(template, options);
    const url = new URL(made.url);
    url.username = SUPERUSER;
    name = url.pathname.slice(1);
    admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
  };
  const open = async (): Promise<number> => {
    let waits = 0;
    const opening = openDatabase({
      url: made.url,
      dataDir: '',
      migrate: true,
      onWait: () => waits++,
    });
    await opening.then((database) => database.close());
    return waits;
  };
  /** In one sentence, and without waiting for a change that will not come. */
  const expectRefusal = async (reason: RegExp): Promise<void> => {
    let waits = 0;
    const opening = openDatabase({
      ...{ url: made.url, dataDir: '', migrate: true },
      onWait: () => waits++,
    });
    await expect(opening).rejects.toMatchObject({
      code: 'database_unusable',
      message: expect.stringMatching(reason),
    });
    expect(waits).toBe(0);
  };

  afterEach(async () => {
    await admin.end();
    await made.drop();
  });

  it('has another encoding', async () => {
    await create('template0', "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'");
    await expectRefusal(/Its encoding is SQL_ASCII: create it with ENCODING 'UTF8'\.$/);
  });

  it('is read-only', async () => {
    await create();
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await expectRefusal(/It is read-only: connect to the primary, with a user that may write\.$/);
    await admin.query('SET default_transaction_read_only = off');
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    expect(await open()).toBe(0);
  });

  it('is that of another user, who has to let it create tables', async () => {
    await create();
    await admin.query(`ALTER DATABASE ${name} OWNER TO ${SUPERUSER}`);
    await expectRefusal(/Its user may not create tables: grant CREATE on the schema, or run/);
    await admin.query('GRANT CREATE ON SCHEMA public TO parley_test');
    expect(await open()).toBe(0);
  });

  it('has no schema for its tables', async () => {
    await create();
    await admin.query('DROP SCHEMA public');
    await expectRefusal(/It has no schema .*: create one/);
  });

  it('is older than what Parley is tested with', async () => {
    await create();
    await admin.query(`CREATE FUNCTION current_setting(name text) RETURNS text LANGUAGE sql AS
      $$ SELECT CASE name WHEN 'server_version_num' THEN '140019'
         ELSE pg_catalog.current_setting(name) END $$`);
    await admin.query(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
    await expectRefusal(/It runs Postgres 14: use 15 or later\.$/);
  });
});
