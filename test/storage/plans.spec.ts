import { Database } from '../../src/storage/typeorm/connection/database.js';
import type { TestDatabase } from '../support/store/databases.js';
import { findPostgresFault, openTestPglite, openTestPostgres } from '../support/store/databases.js';

const LOOK_UP = { name: 'look_up', text: 'SELECT id FROM growing WHERE id = $1' };

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

describe('the plan of a named statement on PGlite', () => {
  plansOfNamedStatements(openTestPglite);
});

describeOnPostgres(`the plan of a named statement on Postgres${fault ? `: ${fault}` : ''}`, () => {
  plansOfNamedStatements(openTestPostgres);
});

function plansOfNamedStatements(open: () => Promise<TestDatabase>): void {
  let tested: TestDatabase;

  beforeEach(async () => {
    tested = await open();
  });

  afterEach(() => tested.close());

  /** Its plans when the table has one row, and when it has grown. */
  async function plansOf(plansKeptMs?: number): Promise<string[]> {
    const { dataSource } = tested.database;
    const database = new Database(dataSource, plansKeptMs === undefined ? {} : { plansKeptMs });
    await database.query({ text: 'CREATE TEMP TABLE growing (id integer PRIMARY KEY)' }, []);
    await database.query({ text: 'INSERT INTO growing VALUES (0)' }, []);
    await database.query({ text: 'VACUUM ANALYZE growing' }, []);
    const small = await planned(database);
    const text = 'INSERT INTO growing SELECT generate_series(1, 20000)';
    await database.query({ text }, []);
    return [small, await planned(database)];
  }

  /** One connection, as nothing runs at the same time. */
  async function planned(database: Database): Promise<string> {
    await database.query({ text: "SET plan_cache_mode = 'force_generic_plan'" }, []);
    expect(await database.query(LOOK_UP, [0])).toEqual([{ id: 0 }]);
    const text = 'EXPLAIN (FORMAT JSON) EXECUTE look_up(0)';
    const [row] = await database.query<Explained>({ text }, []);
    return row!['QUERY PLAN'][0]!.Plan['Node Type'];
  }

  it('is made anew when it is old', async () => {
    expect(await plansOf(0)).toEqual(['Seq Scan', expect.stringMatching(/^Index|^Bitmap/)]);
  });

  it('is kept until then', async () => {
    expect(await plansOf()).toEqual(['Seq Scan', 'Seq Scan']);
  });
}

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: { readonly 'Node Type': string } }[];
}
