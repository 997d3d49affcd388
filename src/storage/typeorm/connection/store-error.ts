import { AppError } from '../../../kernel/app-error.js';
import { isOfFile } from './connect-advice.js';
import type { ConnectFault } from './connect-advice.js';

/** Transient SQLSTATE classes and codes: a retry of the same statement may succeed. */
const TRANSIENT = /^(08...|53...|57P0[1-5]|58...|25006|25P03|40001|40P01|55P03|57014)$/;

/** The codes of `TRANSIENT` that end a connection. */
const DISCONNECTING = /^(08...|57P0[1-5])$/;

/** The codes of `TRANSIENT` that end a statement or its transaction, and nothing else. */
const INTERRUPTED = /^(40001|40P01|55P03|57014)$/;

/** The server ended a statement at its `statement_timeout`. */
const TOOK_TOO_LONG = '57014';

const SOCKET =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|NETRESET|AI_AGAIN|ADDRNOTAVAIL|MFILE|NFILE|NOBUFS)|ENOTFOUND|ENOENT|ERR_STREAM_(DESTROYED|WRITE_AFTER_END))$/;

const DRIVER =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool after calling end|PGlite is clos)/;

/**
 * Converts a cause to the error with which a store rejects. The cause is kept; it contains no
 * password and no parameters.
 */
export function toStoreError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (isAway(cause)) return away(cause);
  return new AppError('internal', 'store_failed', 'The database refused a statement.', { cause });
}

/**
 * The error for a failed connect, for any reason: a database that is being restored, or whose
 * password is being changed, counts as unavailable.
 */
export function toConnectError(cause: unknown): AppError {
  return cause instanceof AppError ? cause : away(cause);
}

function away(cause: unknown): AppError {
  if ((cause as { code?: unknown }).code === TOOK_TOO_LONG)
    return new AppError(
      'unavailable',
      'store_unavailable',
      'The database took too long to answer. Try again; if it lasts, look for long transactions and locks in the database.',
      { cause },
    );
  return new AppError(
    'unavailable',
    'store_unavailable',
    'The database can’t be reached at the moment. Try again; if it lasts, check that it runs and lets this server in.',
    { cause },
  );
}

/** True if another transaction held a row lock for longer than the lock timeout. */
export function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return (cause as { code?: unknown } | undefined)?.code === '55P03';
}

/** True if the connection or the server failed, not the statement. */
export function isAway(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === 'unavailable';
  if (isOfFile(Object(error) as ConnectFault)) return false;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && (TRANSIENT.test(code) || SOCKET.test(code))) return true;
  return typeof message === 'string' && DRIVER.test(message);
}

/** True if no other statement may use the connection. */
export function isUnusable(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return isAway(error) && !(typeof code === 'string' && INTERRUPTED.test(code));
}

/** True if the connection failed: others to the same server may be broken too. */
export function isConnectionLost(error: unknown): boolean {
  if (isOfFile(Object(error) as ConnectFault)) return false;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && (DISCONNECTING.test(code) || SOCKET.test(code))) return true;
  return typeof message === 'string' && DRIVER.test(message);
}
