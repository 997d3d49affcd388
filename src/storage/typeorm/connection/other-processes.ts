import { APPLICATION, APPLICATION_NAME } from './data-source.js';
import type { Database, Statement } from './database.js';

const COUNT: Statement = {
  text: `SELECT count(DISTINCT application_name)::integer AS count FROM pg_stat_activity
    WHERE datname = current_database() AND starts_with(application_name, $1) AND application_name <> $2`,
};

/** Number of other Parley processes that are connected to this database of a Postgres server. */
export async function countOtherProcesses(database: Database): Promise<number> {
  const parameters = [APPLICATION, APPLICATION_NAME];
  const [row] = await database.query<{ count: number }>(COUNT, parameters);
  return row!.count;
}
