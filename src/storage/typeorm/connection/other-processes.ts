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

/** Reports that there are others, which share no Redis with this one: whenever they come. */
export class OtherProcesses {
  private areThere = false;

  constructor(
    private readonly database: Database,
    private readonly report: (problem: string) => void,
  ) {}

  async check(): Promise<void> {
    const wereThere = this.areThere;
    this.areThere = (await countOtherProcesses(this.database)) > 0;
    if (this.areThere && !wereThere)
      this.report(
        'Another process uses this database, and REDIS_URL is not set: each process sees only its own readers, and live events and decisions reach others late. Set REDIS_URL for all of them, or stop the others.',
      );
  }
}
