import pg from 'pg';
import { AppError } from '../../../kernel/app-error.js';
import { describeServer } from './connect-server.js';

const TIMEOUT_MS = 2_000;

/** The oldest version that the tests run with. */
const OLDEST_VERSION = 15;

interface Properties {
  readonly version: number;
  readonly encoding: string;
  readonly is_read_only: boolean;
  /** Null without a schema. */
  readonly may_create: boolean | null;
}

const PROPERTIES = `SELECT current_setting('server_version_num')::int / 10000 AS version,
  current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS is_read_only,
  has_schema_privilege(current_schema(), 'CREATE') AS may_create`;

const POOLING =
  'A pooler shares the connections of its sessions between clients, which would lose settings of Parley and mix tenants: use its session mode, or connect without it';

/**
 * Checks what Parley needs of a server that answers.
 * @throws AppError `database_unusable`, which says what to do
 */
export async function checkServer(url: string, migrate: boolean): Promise<void> {
  const clients = [newClient(url), newClient(url)] as const;
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const fault = (await sessionFault(...clients)) ?? (await propertyFault(clients[1], migrate));
    if (fault !== undefined) throw unusable(url, fault);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

function newClient(connectionString: string): pg.Client {
  const client = new pg.Client({
    ...{ connectionString, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS },
  });
  return client.on('error', () => {});
}

/**
 * A session has one process of the server. A pooler that takes it back after a transaction gives it
 * to the other client, and another one to this client.
 */
async function sessionFault(client: pg.Client, other: pg.Client): Promise<string | undefined> {
  const first = await backendOf(client);
  try {
    await other.query('BEGIN');
    await backendOf(other);
    return (await backendOf(client)) === first ? undefined : POOLING;
  } catch {
    return POOLING; // no transactions, or no process for both
  }
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

async function propertyFault(client: pg.Client, migrate: boolean): Promise<string | undefined> {
  const { rows } = await client.query<Properties>(PROPERTIES);
  const { version, encoding, is_read_only, may_create } = rows[0]!;
  if (version < OLDEST_VERSION)
    return `It runs Postgres ${version}: use ${OLDEST_VERSION} or later`;
  if (encoding !== 'UTF8') return `Its encoding is ${encoding}: create it with ENCODING 'UTF8'`;
  if (is_read_only) return 'It is read-only: connect to the primary, with a user that may write';
  if (may_create === null)
    return 'It has no schema in its search_path: create one, such as public, that its user may use';
  if (!migrate || may_create) return undefined;
  return 'Its user may not create tables: grant CREATE on the schema, or run `npm run migrate` as its owner and set MIGRATE=false';
}

function unusable(url: string, fault: string): AppError {
  const message = `Can't use the database ${describeServer(url)}. ${fault}.`;
  return new AppError('unavailable', 'database_unusable', message);
}
