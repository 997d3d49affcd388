import type { Writable } from 'node:stream';
import type pg from 'pg';
import { QueryFailedError } from 'typeorm';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Clock } from '../../../kernel/clock.js';
import { currentTenant } from '../../../kernel/tenant-scope.js';
import { isConnectionLost, isUnusable, toConnectError, toStoreError } from './store-error.js';
import { statementTimeout } from './time-limits.js';
import type { TimeLimits } from './time-limits.js';

export interface Statement {
  readonly text: string;
  /**
   * With a name, each connection plans the statement only a few times, which halves the cost of a
   * small statement. Only for lookups by key: the plan may have been made while the tables were
   * small, and is kept for a minute.
   */
  readonly name?: string;
}

/** A statement and its parameters, `$1` first. */
export type Step = readonly [statement: Statement, values: readonly unknown[]];

export type Row = Record<string, unknown>;

/** The statements of a batch need to see what those before them waited for. */
const BEGIN: Statement = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED' };
const PING: Statement = {
  text: "SELECT clock_timestamp() AS now, current_setting('transaction_read_only') AS read_only",
};
const COMMIT: Statement = { text: 'COMMIT' };
/**
 * Plans made while the tables were small may read them as a whole, or by an index that is no help.
 * The embedded database would never revise them, a server only after an `ANALYZE`.
 */
const DISCARD_PLANS: Statement = { text: 'DISCARD PLANS' };
const PLANS_KEPT_MS = 60_000;
/** For row-level security. Of the session: the next use for another tenant sets it again. */
const SET_TENANT: Statement = {
  name: 'tenant',
  text: "SELECT set_config('parley.tenant', $1, false)",
};

export interface DatabaseOptions {
  /** Undefined for the embedded database, which is never unreachable. */
  readonly limits?: TimeLimits;
  /** The connections for the work of runs; undefined: these are. */
  readonly runs?: Database;
  /** True: statements see only the rows of the tenant whose request they answer. */
  readonly isByTenant?: boolean;
  /** Follows the clock of the server. */
  readonly clock?: Clock | undefined;
  /** Maximum age of the plans of named statements, in milliseconds. */
  readonly plansKeptMs?: number;
  /** Lets `connect` go before all who wait for the only connection of the embedded database. */
  readonly first?: <T>(connect: () => T) => T;
  /** Copies the folder of the embedded database between two statements. */
  readonly copyTo?: (path: string) => Promise<void>;
  /** Closes the embedded database after the data source was closed. */
  readonly afterClose?: () => Promise<void>;
}

interface Connection {
  readonly runner: QueryRunner;
  readonly client: pg.PoolClient;
}

/**
 * SQL and entities on the connections of a `DataSource`. All methods reject with an `AppError`:
 * `store_unavailable` while the database is unreachable, or does not answer in time. A statement
 * that timed out may still be executed later.
 */
export class Database {
  readonly limits: TimeLimits | undefined;
  /**
   * Number of lost connections. Older connections are not trusted after a loss: they may hang too.
   * A loss of runs counts for clients, not the other way round: a client's query may be the fault.
   */
  #losses = 0;
  readonly #lossesBefore = new WeakMap<pg.PoolClient, number>();
  /** The tenant that a connection was last used for. */
  readonly #tenants = new WeakMap<pg.PoolClient, string>();
  /** When the plans of a connection were last discarded, by `performance.now()`. */
  readonly #plannedSince = new WeakMap<pg.PoolClient, number>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    readonly dataSource: DataSource,
    private readonly options: DatabaseOptions = {},
  ) {
    this.limits = options.limits;
  }

  /**
   * For what keeps runs going: appends, leases, starts, decisions. Reads of clients, however many
   * and slow, never make it wait for a connection.
   */
  get runs(): Database {
    return this.options.runs ?? this;
  }

  /** Executes a single statement, in a transaction of its own. */
  async query<R = Row>(
    statement: Statement,
    values: readonly unknown[],
    limitMs = this.limits?.answerMs,
  ): Promise<R[]> {
    const [rows] = await this.#send<R>([[statement, values]], limitMs);
    return rows ?? [];
  }

  /**
   * Executes a transaction in one round trip: the steps can't depend on each other's rows, except
   * in SQL. Returns the rows of each step.
   */
  async batch<R = Row>(steps: readonly Step[], limitMs = this.limits?.answerMs): Promise<R[][]> {
    const results = await this.#send<R>([[BEGIN, []], ...steps, [COMMIT, []]], limitMs);
    return results.slice(1, -1);
  }

  /** A batch that may take as long as the contents of a chat need. */
  async longBatch<R = Row>(steps: readonly Step[]): Promise<R[][]> {
    const { limits } = this;
    if (!limits) return this.batch(steps);
    const text = `SET LOCAL statement_timeout = ${statementTimeout(limits.longMs)}`;
    return (await this.batch<R>([[{ text }, []], ...steps], limits.longMs)).slice(1);
  }

  /** Asks for an answer, and for the time. */
  async ping(): Promise<{ readonly isReadOnly: boolean }> {
    const sent = performance.now();
    const [answer] = await this.query<{ now: Date; read_only: string }>(
      PING,
      [],
      this.limits?.connectMs,
    );
    const { now, read_only } = answer!;
    const half_ms = (performance.now() - sent) / 2;
    this.options.clock?.follow(new Date(now.getTime() + half_ms), half_ms);
    return { isReadOnly: read_only === 'on' };
  }

  /** CRUD by repositories; each statement is a transaction of its own. */
  entities<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.#onConnection(this.limits?.answerMs, async ({ runner, client }) => {
      const sent = this.#sendAll(client, []);
      const [result] = await Promise.all([work(runner.manager), ...sent]);
      return result;
    });
  }

  /** @throws TypeError for a server, which has no folder */
  copyTo(path: string): Promise<void> {
    const { copyTo } = this.options;
    if (!copyTo) throw new TypeError('Only the embedded database can be copied.');
    return copyTo(path);
  }

  /** Waits for running statements, then closes. */
  async close(): Promise<void> {
    await Promise.all(this.#running);
    await this.options.runs?.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    await this.options.afterClose?.();
  }

  #send<R>(steps: readonly Step[], limitMs: number | undefined): Promise<R[][]> {
    return this.#onConnection(limitMs, async ({ client }) => {
      const sent = this.#sendAll<R>(client, steps);
      await Promise.allSettled(sent);
      const results = (await Promise.all(sent)).map(({ rows }) => rows);
      return results.slice(results.length - steps.length);
    });
  }

  /**
   * In one packet. First what the connection needs before the steps: its results come before
   * theirs.
   */
  #sendAll<R>(client: pg.PoolClient, steps: readonly Step[]): Promise<pg.QueryResult<R & Row>>[] {
    const socket = socketOf(client);
    socket.cork();
    const before = [...this.#discardOldPlans(client), ...this.#tenantFor(client)];
    const sent = [...before, ...steps].map(([{ text, name }, values]) =>
      client.query<R & Row>({ text, ...(name && { name }), values: values as unknown[] }),
    );
    socket.uncork();
    return sent;
  }

  #discardOldPlans(client: pg.PoolClient): Step[] {
    const now = performance.now();
    const since = this.#plannedSince.get(client);
    const { plansKeptMs = PLANS_KEPT_MS } = this.options;
    if (since !== undefined && now - since < plansKeptMs) return [];
    this.#plannedSince.set(client, now);
    return since === undefined ? [] : [[DISCARD_PLANS, []]];
  }

  #tenantFor(client: pg.PoolClient): Step[] {
    const tenant = currentTenant();
    if (!this.options.isByTenant || this.#tenants.get(client) === tenant) return [];
    this.#tenants.set(client, tenant);
    return [[SET_TENANT, [tenant]]];
  }

  #onConnection<T>(
    limitMs: number | undefined,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const result = this.#run(limitMs, work);
    const ended: Promise<unknown> = result
      .catch(() => undefined)
      .then(() => this.#running.delete(ended));
    this.#running.add(ended);
    return result;
  }

  async #run<T>(
    limitMs: number | undefined,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const connection = await this.#connect();
    const stopWaiting = cutAfter(socketOf(connection.client), limitMs);
    let fault: unknown;
    try {
      return await work(connection);
    } catch (error) {
      fault = error instanceof QueryFailedError ? error.driverError : error;
      throw toStoreError(fault);
    } finally {
      stopWaiting();
      await this.#release(connection, fault);
    }
  }

  async #connect(): Promise<Connection> {
    const { first = (connect) => connect() } = this.options;
    try {
      for (;;) {
        const runner = this.dataSource.createQueryRunner();
        const client = (await first(() => runner.connect())) as pg.PoolClient;
        const losses = this.#knownLosses;
        const before = this.#lossesBefore.get(client) ?? losses;
        this.#lossesBefore.set(client, before);
        if (before === losses) return { runner, client };
        discard(client, new Error('Another connection to the same server was lost'));
      }
    } catch (error) {
      throw toConnectError(error);
    }
  }

  get #knownLosses(): number {
    const { runs } = this.options;
    return runs ? this.#losses + runs.#losses : this.#losses;
  }

  async #release({ runner, client }: Connection, fault: unknown): Promise<void> {
    if (fault !== undefined) this.#tenants.delete(client); // it may not have been set
    if (isConnectionLost(fault)) this.#losses++;
    if (isUnusable(fault)) discard(client, fault as Error);
    else await runner.release();
  }
}

/** A query runner removes its connection from the pool when that connection reports an error. */
function discard(client: pg.PoolClient, error: Error): void {
  client.emit('error', error);
}

/**
 * Breaks a connection that is silent for too long. Neither `pg` nor TypeORM can do that: their
 * timeouts fail the statement and keep the hung connection. An answer that arrived while the
 * process was busy still counts.
 */
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

/**
 * The socket, to send several statements in one packet and to break the connection. `pg` has no API
 * for either.
 */
function socketOf(client: pg.PoolClient): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream;
}
