import type { Writable } from 'node:stream';
import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Row, Statement, Step } from './statement.js';
import { isAway, toStoreError } from './store-error.js';

const BEGIN: Statement = { text: 'BEGIN' };
const COMMIT: Statement = { text: 'COMMIT' };

/**
 * SQL on the connections of a `DataSource`, without what TypeORM does around each query. Everything rejects with an `AppError`:
 * `store_unavailable` while the database is away.
 */
export class Database {
  readonly #pool: pg.Pool;

  /** @param afterClose closes what the data source stands on */
  constructor(
    readonly dataSource: DataSource,
    private readonly afterClose?: () => Promise<void>,
  ) {
    this.#pool = (dataSource.driver as PostgresDriver).master as pg.Pool;
  }

  /** One statement, a transaction of its own. */
  async query<R = Row>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    const [rows] = await this.#send<R>([[statement, values]]);
    return rows ?? [];
  }

  /** One transaction in one round trip: the steps can't depend on each other's rows, except in SQL. Answers the rows of each. */
  async batch<R = Row>(steps: readonly Step[]): Promise<R[][]> {
    const results = await this.#send<R>([[BEGIN, []], ...steps, [COMMIT, []]]);
    return results.slice(1, -1);
  }

  /** Lets what is under way finish, then closes. */
  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    await this.afterClose?.();
  }

  async #send<R>(steps: readonly Step[]): Promise<R[][]> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
    const socket = socketOf(client);
    socket.cork(); // one packet for all steps
    const sent = steps.map(([{ text, name }, values]) =>
      client.query<R & Row>({ text, ...(name && { name }), values: values as unknown[] }),
    );
    socket.uncork();
    const results = await Promise.allSettled(sent);
    const failed = results.find((result) => result.status === 'rejected');
    client.release(failed && isAway(failed.reason) ? (failed.reason as Error) : undefined);
    if (failed) throw toStoreError(failed.reason);
    return results.map((result) => (result as PromiseFulfilledResult<pg.QueryResult>).value.rows);
  }
}

function socketOf(client: pg.PoolClient): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream;
}
