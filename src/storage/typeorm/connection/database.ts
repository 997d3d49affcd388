import type { Writable } from 'node:stream';
import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Row, Statement, Step } from './statement.js';
import { isAway, isConnectionLost, toConnectError, toStoreError } from './store-error.js';
import type { TimeLimits } from './time-limits.js';

const BEGIN: Statement = { text: 'BEGIN' };
const COMMIT: Statement = { text: 'COMMIT' };

export interface DatabaseOptions {
  /** None for the embedded database, which can't be away. */
  readonly limits?: TimeLimits;
  /** Closes what the data source stands on. */
  readonly afterClose?: () => Promise<void>;
}

/**
 * SQL on the connections of a `DataSource`, without what TypeORM does around each query. Everything rejects with an `AppError`:
 * `store_unavailable` while the database is away, or silent for too long. What was given up may still be carried out later.
 */
export class Database {
  readonly limits: TimeLimits | undefined;
  readonly #pool: pg.Pool;
  /** How often a connection was lost. Those that were there before are not trusted any more: they may hang as well. */
  #losses = 0;
  readonly #lossesBefore = new WeakMap<pg.PoolClient, number>();

  constructor(
    readonly dataSource: DataSource,
    private readonly options: DatabaseOptions = {},
  ) {
    this.limits = options.limits;
    this.#pool = (dataSource.driver as PostgresDriver).master as pg.Pool;
  }

  /** One statement, a transaction of its own. */
  async query<R = Row>(
    statement: Statement,
    values: readonly unknown[],
    limitMs = this.limits?.answerMs,
  ): Promise<R[]> {
    const [rows] = await this.#send<R>([[statement, values]], limitMs);
    return rows ?? [];
  }

  /** One transaction in one round trip: the steps can't depend on each other's rows, except in SQL. Answers the rows of each. */
  async batch<R = Row>(steps: readonly Step[], limitMs = this.limits?.answerMs): Promise<R[][]> {
    const results = await this.#send<R>([[BEGIN, []], ...steps, [COMMIT, []]], limitMs);
    return results.slice(1, -1);
  }

  /** Lets what is under way finish, then closes. */
  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    await this.options.afterClose?.();
  }

  async #send<R>(steps: readonly Step[], limitMs: number | undefined): Promise<R[][]> {
    const client = await this.#connect();
    const socket = socketOf(client);
    const stopWaiting = cutAfter(socket, limitMs);
    socket.cork(); // one packet for all steps
    const sent = steps.map(([{ text, name }, values]) =>
      client.query<R & Row>({ text, ...(name && { name }), values: values as unknown[] }),
    );
    socket.uncork();
    const results = await Promise.allSettled(sent);
    stopWaiting();
    const failed = results.find((result) => result.status === 'rejected');
    this.#release(client, failed?.reason);
    if (failed) throw toStoreError(failed.reason);
    return results.map((result) => (result as PromiseFulfilledResult<pg.QueryResult>).value.rows);
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      for (;;) {
        const client = await this.#pool.connect();
        const before = this.#lossesBefore.get(client) ?? this.#losses;
        this.#lossesBefore.set(client, before);
        if (before === this.#losses) return client;
        client.release(true);
      }
    } catch (error) {
      throw toConnectError(error);
    }
  }

  #release(client: pg.PoolClient, error: unknown): void {
    if (isConnectionLost(error)) this.#losses++;
    client.release(isAway(error) ? (error as Error) : undefined);
  }
}

/** Breaks a connection that says nothing for too long, until the answer is called. What came in while the process was busy counts. */
function cutAfter(socket: Writable, limitMs: number | undefined): () => void {
  if (limitMs === undefined) return () => {};
  let isOver = false;
  const cut = (): void => {
    const error = new Error(`The database did not answer within ${limitMs} ms`);
    if (!isOver) socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  };
  const timer = setTimeout(() => setImmediate(cut), limitMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function socketOf(client: pg.PoolClient): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream;
}
