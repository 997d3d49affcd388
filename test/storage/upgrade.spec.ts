import { migrate } from '../../src/storage/typeorm/migrate.js';
import { openDatabase } from '../../src/storage/typeorm/open-database.js';
import { typeOrmStore } from '../support/typeorm-store.js';
import { RequestsAndBranches1795262400000 } from '../../migrations/1795262400000-requests-and-branches.js';
import {
  HELD,
  newBatch,
  newRequest,
  queued,
  started,
} from '../contracts/interaction-store/fixtures.js';
import { createPostgresDatabase, findPostgresFault } from '../support/databases.js';

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

describeOnPostgres(`${RequestsAndBranches1795262400000.name}${fault ? `: ${fault}` : ''}`, () => {
  let url: string;
  let drop: () => Promise<void>;

  beforeEach(async () => {
    ({ url, drop } = await createPostgresDatabase());
  });

  afterEach(() => drop());

  it('gives the interactions of an older version what they lack', async () => {
    const before = await openDatabase({ url, dataDir: '', migrate: true });
    const store = typeOrmStore(before);
    const row = await started(store, { lease: HELD });
    await store.append([newBatch(row.id, [2, 2], { requests: [newRequest(2)] })]);
    await queued(store, { chat_id: row.chat_id });
    await goBack();
    const text = `UPDATE interactions SET settings = '{"max_iterations":7,"on_disconnect":"continue"}'`;
    await before.query({ text }, []);
    await before.close();

    await migrate({ url, dataDir: '' });
    const database = await openDatabase({ url, dataDir: '', migrate: false });
    const after = typeOrmStore(database);
    const settings = {
      ...{ max_iterations: 7, on_disconnect: 'continue' },
      ...{ approval_mode: 'ask', client_tools: [] },
    };
    expect(await after.listUnfinished(row.chat_id)).toEqual([{ ...row, last_seq: 2, settings }]);
    await database.close();
  });

  async function goBack(): Promise<void> {
    const database = await openDatabase({ url, dataDir: '', migrate: false });
    for (;;) {
      const [last] = await database.query<{ name: string }>(
        { text: 'SELECT name FROM migrations ORDER BY timestamp DESC LIMIT 1' },
        [],
      );
      await database.dataSource.undoLastMigration();
      if (last?.name === RequestsAndBranches1795262400000.name) break;
    }
    await database.close();
  }
});
