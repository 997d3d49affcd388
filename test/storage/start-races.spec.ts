import { startInteraction } from '../../src/storage/typeorm/interactions/start-interaction.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import { ended, newStart } from '../contracts/interaction-store/fixtures.js';
import type { TestDatabase } from '../support/store/databases.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

describeOnPostgres(`${startInteraction.name} on Postgres${fault ? `: ${fault}` : ''}`, () => {
  let tested: TestDatabase;

  beforeAll(async () => {
    tested = await openTestPostgres();
  });

  afterAll(() => tested.close());

  it('finds a chat busy that becomes so behind its back (I9)', async () => {
    const store = typeOrmStore(tested.database);
    const row = await ended(store, 'one');
    const runner = tested.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query("SELECT set_config('parley.tenant', '*', true)");
    await runner.query("UPDATE interactions SET status = 'RUNNING' WHERE id = $1", [row.id]);
    const starting = store.startInteraction(newStart({ chat_id: row.chat_id }));
    while (!(await isAnyoneWaiting(tested)));
    await runner.commitTransaction();
    await runner.release();
    expect(await starting).toEqual({ outcome: 'busy', active_interaction_id: row.id });
  });
});

async function isAnyoneWaiting({ database }: TestDatabase): Promise<boolean> {
  const text =
    'SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()';
  return (await database.query({ text }, [])).length > 0;
}
