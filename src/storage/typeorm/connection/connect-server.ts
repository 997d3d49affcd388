import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { isAway } from './store-error.js';

/** Postgres's error codes. */
const NO_SUCH_DATABASE = '3D000';
const UNAUTHENTICATED: readonly (string | undefined)[] = ['28000', '28P01'];
/** The client's error if the server asks for a password and the URL has none. */
const NO_PASSWORD = 'client password must be a string';
const CHECK_USER = 'Check the user and the password in DATABASE_URL';
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

export interface Patience {
  /** Total time of the retries, in milliseconds. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
  /** Called once, when the first attempt has failed. */
  readonly onWait?: (message: string) => void;
}

/**
 * Connects to a server that may not be up yet. Errors that persist, such as a wrong password, are
 * not retried.
 * @throws AppError `store_unavailable`
 */
export async function connectServer(
  create: () => DataSource,
  url: string,
  { patienceMs, signal, onWait }: Patience,
): Promise<DataSource> {
  const deadline = performance.now() + patienceMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await create().initialize();
    } catch (error) {
      const left = deadline - performance.now();
      if (!isAway(error) || isRefusal(error) || left <= 0 || signal?.aborted)
        throw unreachable(url, error);
      if (pause === FIRST_PAUSE_MS)
        onWait?.(
          `Waiting for the database ${describeServer(url)}, ${patienceMs / 1000} s at most.`,
        );
      await delay(Math.min(pause, left), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** A pooler refused the connection; it has the same code for a server that is away. */
function isRefusal(error: unknown): boolean {
  const { message } = Object(error) as { message?: string };
  return /unsupported startup parameter|no such (database|user)|authentication failed/i.test(
    message ?? '',
  );
}

function unreachable(url: string, cause: unknown): AppError {
  const { code, message = '' } = cause as { code?: string; message?: string };
  const lacksPassword = message.includes(NO_PASSWORD);
  const reason = lacksPassword ? 'it asks for a password' : message || code || 'no reason given';
  const remedy = lacksPassword ? CHECK_USER : remedyFor(code);
  return new AppError(
    'unavailable',
    'store_unavailable',
    `Can't open the database ${describeServer(url)}: ${reason}. ${remedy}, or unset DATABASE_URL to use the embedded one.`,
    { cause },
  );
}

function remedyFor(code: string | undefined): string {
  if (UNAUTHENTICATED.includes(code)) return CHECK_USER;
  return code === NO_SUCH_DATABASE
    ? 'Create it, for example with createdb'
    : 'Check that it runs and that DATABASE_URL names it';
}

/** The location of the database: a server if there is a `url`, else embedded in `dataDir`. */
export interface DatabaseTarget {
  /** `postgres://…` */
  readonly url?: string;
  readonly dataDir: string;
}

/** The database and host of a URL, for messages, without the password. */
export function describeServer(url: string): string {
  const { hostname, port, pathname, searchParams } = parseServerUrl(url);
  const host = searchParams.get('host') ?? (decodeURIComponent(hostname) || 'localhost');
  const database = decodeURIComponent(pathname.slice(1)) || 'postgres';
  return `"${database}" on ${host}:${port || '5432'}`;
}

/** @throws AppError `invalid_database_url` */
export function parseServerUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    // The cause would quote the URL, including the password.
    throw new AppError(
      'invalid',
      'invalid_database_url',
      'DATABASE_URL is not a URL. Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.',
    );
  }
}
