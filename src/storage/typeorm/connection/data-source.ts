import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { DataSource } from 'typeorm';
import type { DataSourceOptions, Logger } from 'typeorm';
import { EmbeddedPool } from './embedded-connection.js';
import { CreateTables1795219200000 } from '../../../../migrations/1795219200000-create-tables.js';
import { CreateWebhooks1795305600000 } from '../../../../migrations/1795305600000-create-webhooks.js';
import { CreateFileFolder1795392000000 } from '../../../../migrations/1795392000000-create-file-folder.js';
import { AddUsage1795478400000 } from '../../../../migrations/1795478400000-add-usage.js';
import { CreateDeletedUsageDays1795564800000 } from '../../../../migrations/1795564800000-create-deleted-usage-days.js';
import { AddQueueChanges1795651200000 } from '../../../../migrations/1795651200000-add-queue-changes.js';
import { AddUsageByModel1795741200000 } from '../../../../migrations/1795741200000-add-usage-by-model.js';
import { AddWaitsFor1795827600000 } from '../../../../migrations/1795827600000-add-waits-for.js';
import { AddCacheWriteTokens1795914000000 } from '../../../../migrations/1795914000000-add-cache-write-tokens.js';
import { WidenDeletedUsageDays1796000400000 } from '../../../../migrations/1796000400000-widen-deleted-usage-days.js';
import { PgliteSocket } from './embedded-connection.js';
import { AuditEntity } from '../entities/audit.entity.js';
import { ChatEntity } from '../entities/chat.entity.js';
import { InteractionEntity } from '../entities/interaction.entity.js';
import { InterventionEntity } from '../entities/intervention.entity.js';
import { KeyEntity } from '../entities/key.entity.js';
import { TaskEntity } from '../entities/task.entity.js';
import { parseServerUrl } from './connect-server.js';
import { statementTimeout } from './time-limits.js';
import type { TimeLimits } from './time-limits.js';

const ignore = () => {};

/** A connection error fails its statement. Without a listener, the event would end the process. */
const HEAR_ERRORS = {
  onConnect: (client: pg.ClientBase) => void client.on('error', ignore),
};

/** Connections for runs, and as many for clients. */
const POOL_SIZE = 5;

/** Begins the names under which all processes connect; the rest is unique to this one. */
export const APPLICATION = 'parley ';
export const APPLICATION_NAME = `${APPLICATION}${randomUUID()}`;

/** A server: every wait for a connection or an answer has a timeout. */
const SERVER_POOL = {
  ...HEAR_ERRORS,
  max: POOL_SIZE,
  application_name: APPLICATION_NAME,
  connectionTimeoutMillis: 5000,
  idleTimeoutMillis: 60_000,
  query_timeout: 30_000, // for TypeORM's own queries; `Database` has its own limits
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/**
 * Listed individually, oldest first, so that a build, a test and a container run the same
 * migrations.
 */
export const MIGRATIONS = [
  CreateTables1795219200000,
  CreateWebhooks1795305600000,
  CreateFileFolder1795392000000,
  AddUsage1795478400000,
  CreateDeletedUsageDays1795564800000,
  AddQueueChanges1795651200000,
  AddUsageByModel1795741200000,
  AddWaitsFor1795827600000,
  AddCacheWriteTokens1795914000000,
  WidenDeletedUsageDays1796000400000,
];

/** TypeORM would also print errors that are thrown. */
const SILENT: Logger = {
  log: ignore,
  logQuery: ignore,
  logQueryError: ignore,
  logQuerySlow: ignore,
  logSchemaBuild: ignore,
  logMigration: ignore,
};

/** `pipeline`: statements that are issued together are sent together (`Database.batch`). */
const BOTH = {
  type: 'postgres',
  entities: [AuditEntity, ChatEntity, InteractionEntity, InterventionEntity, KeyEntity, TaskEntity],
  migrations: MIGRATIONS,
  migrationsTransactionMode: 'each',
  synchronize: false,
  logger: SILENT,
  installExtensions: false,
  // An idle connection that breaks is replaced; a failed connect rejects.
  poolErrorHandler: ignore,
} as const satisfies DataSourceOptions;

/**
 * A `DataSource`, not yet initialized, on a Postgres server.
 * @param tenant the one whose rows its connections see; undefined: none until they say it
 */
export function createServerDataSource(
  url: string,
  limits: TimeLimits,
  tenant?: string,
): DataSource {
  const pool = {
    ...{ ...SERVER_POOL, connectionTimeoutMillis: limits.connectMs, pipeline: true },
    onConnect: (client: pg.ClientBase) => prepareSession(client, limits, tenant),
  };
  return new DataSource({ ...BOTH, url: parseServerUrl(url).href, extra: pool });
}

/** By statement: poolers refuse or drop settings in the options of a connection. */
async function prepareSession(
  client: pg.ClientBase,
  limits: TimeLimits,
  tenant?: string,
): Promise<void> {
  HEAR_ERRORS.onConnect(client);
  const timeout = String(statementTimeout(limits.answerMs));
  const settings = {
    statement_timeout: timeout,
    idle_in_transaction_session_timeout: timeout,
    default_transaction_isolation: 'read committed',
    ...(tenant !== undefined && { 'parley.tenant': tenant }),
  };
  const values = Object.entries(settings).flat();
  const calls = Object.keys(settings).map(
    (_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false)`,
  );
  const query_timeout = limits.connectMs;
  await client.query({ text: `SELECT ${calls.join()}`, values, query_timeout } as pg.QueryConfig);
}

/** A `DataSource` of one connection, without a query timeout, because migrations may take long. */
export function createMigrationDataSource(url: string, migrations = MIGRATIONS): DataSource {
  const pool = { ...SERVER_POOL, max: 1, query_timeout: 0 };
  return new DataSource({ ...BOTH, migrations, url, extra: pool });
}

/**
 * A `DataSource`, not yet initialized, on an open embedded database: the same driver, types and
 * SQL, with a pool of one connection.
 */
export function createEmbeddedDataSource(db: PGlite, migrations = MIGRATIONS): DataSource {
  return new DataSource({
    ...BOTH,
    migrations,
    database: 'postgres',
    username: 'postgres',
    driver: { ...pg, Pool: EmbeddedPool },
    extra: {
      ...HEAR_ERRORS,
      max: 1,
      stream: () => new PgliteSocket(db),
      idleTimeoutMillis: 0,
      pipeline: true,
    },
  });
}
