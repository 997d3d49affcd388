import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { connectAdvice, lacksPassword } from './connect-advice.js';
import type { ConnectFault } from './connect-advice.js';
import { isAway } from './store-error.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

export interface ConnectOptions {
  /** Total time of the retries, in milliseconds. */
  readonly connectTimeoutMs: number;
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
  { connectTimeoutMs, signal, onWait }: ConnectOptions,
): Promise<DataSource> {
  const deadline = performance.now() + connectTimeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await create().initialize();
    } catch (error) {
      const left = deadline - performance.now();
      if (!isAway(error) || isRefusal(error) || left <= 0 || signal?.aborted)
        throw unreachable(url, error);
      if (pause === FIRST_PAUSE_MS)
        onWait?.(
          `Waiting for the database ${describeServer(url)}, ${connectTimeoutMs / 1000} s at most.`,
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
  const fault = Object(cause) as ConnectFault;
  const { code, message } = fault;
  const told = message?.replace(/\.$/, '') || code || 'no reason given';
  const reason = lacksPassword(fault) ? 'it asks for a password' : told;
  return new AppError(
    'unavailable',
    'store_unavailable',
    `Can't open the database ${describeServer(url)}: ${reason}. ${connectAdvice(parseServerUrl(url), fault)}.`,
    { cause },
  );
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
