import type { ErrorKind } from '../../kernel/app-error.js';

/** The one place where a kind of error becomes an HTTP status. */
export const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported: 415,
  misdirected: 421,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};
