import { migrateDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import { newChat } from '../contracts/interaction-store/fixtures.js';
import { createPostgresDatabase, findPostgresFault } from '../support/store/databases.js';

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

describeOnPostgres(`migrations${fault ? `: ${fault}` : ''}`, () => {
  let url: string;
  let drop: () => Promise<void>;

  beforeEach(async () => {
    ({ url, drop } = await createPostgresDatabase());
  });

  afterEach(() => drop());

  it('are run once by processes that start at once', async () => {
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => openDatabase({ url, dataDir: '', migrate: true })),
    );
    const stores = opened.map((database) => typeOrmStore(database));
    for (const store of stores) expect(await store.createChat(newChat())).toBe(true);
    await Promise.all(opened.map((database) => database.close()));
  });

  it('are asked for when they are pending and must not be run', async () => {
    const opening = () => openDatabase({ url, dataDir: '', migrate: false });
    await expect(opening()).rejects.toMatchObject({
      code: 'migrations_pending',
      message: expect.stringContaining('npm run migrate'),
    });
    const ran = await migrateDatabase({ url, dataDir: '' });
    expect(ran[0]).toBe('CreateTables1795219200000');
    expect(await migrateDatabase({ url, dataDir: '' })).toEqual([]);
    await (await opening()).close();
  });

  it.each([true, false])(
    'of a newer version keep an older one from starting (MIGRATE=%s)',
    async (migrate) => {
      const database = await openDatabase({ url, dataDir: '', migrate: true });
      const text = `INSERT INTO migrations (timestamp, name) VALUES (1, 'FromTheFuture9')`;
      await database.query({ text }, []);
      await database.close();
      await expect(openDatabase({ url, dataDir: '', migrate })).rejects.toMatchObject({
        code: 'database_newer',
        message: expect.stringMatching(/newer version.*FromTheFuture9.*restore a backup/),
      });
    },
  );

  it('can be undone', async () => {
    const database = await openDatabase({ url, dataDir: '', migrate: true });
    await database.dataSource.undoLastMigration();
    await database.close();
    await migrateDatabase({ url, dataDir: '' });
  });

  it('leave a database alone that has such tables already', async () => {
    const database = await openDatabase({ url, dataDir: '', migrate: true });
    await database.query({ text: 'DELETE FROM migrations' }, []);
    await database.close();
    await expect(migrateDatabase({ url, dataDir: '' })).rejects.toMatchObject({
      code: 'migration_failed',
    });
  });
});
