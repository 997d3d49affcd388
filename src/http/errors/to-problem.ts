import { STATUS_CODES } from 'node:http';
import { HttpException, NotFoundException } from '@nestjs/common';
import { isUnreadable } from '../../encryption/unreadable.js';
import { AppError } from '../../kernel/app-error.js';
import type { ErrorKind } from '../../kernel/app-error.js';
import { PROBLEMS } from '../../protocol/codes.js';
import type { Problem } from '../../protocol/wire/problem.js';

/** The only mapping from kinds of errors to HTTP statuses. */
export const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  timed_out: 408,
  conflict: 409,
  too_large: 413,
  unsupported: 415,
  unsatisfiable: 416,
  misdirected: 421,
  unprocessable: 422,
  upgrade_required: 426,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/** The request that failed. */
export interface ProblemOrigin {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The path under which the API is; empty: the root. */
  readonly base: string;
  readonly request_id: string;
  /** Paths that there are; undefined: those of `/docs`. */
  readonly paths?: readonly string[] | undefined;
}

/**
 * The problem document of an exception. Internal errors keep their detail to the log, and most of
 * them their code.
 */
export function toProblem(exception: unknown, origin: ProblemOrigin): Problem {
  if (exception instanceof AppError && exception.kind !== 'internal')
    return fromAppError(exception, origin);
  if (exception instanceof HttpException && exception.getStatus() < 500)
    return fromHttpException(exception, origin);
  return {
    ...head(internalCode(exception), 500),
    detail: `Internal error. See the server's log, request id ${origin.request_id}.`,
    instance: origin.path,
    request_id: origin.request_id,
  };
}

function internalCode(exception: unknown): string {
  const code = exception instanceof AppError ? exception.code : 'internal';
  if (PROBLEMS[code]?.[0] === 500) return code;
  return isUnreadable(exception) ? 'decryption_failed' : 'internal';
}

/** True if no route matched the request. */
export function isUnknownRoute(exception: unknown): boolean {
  return exception instanceof NotFoundException && exception.message.startsWith('Cannot ');
}

function fromAppError(error: AppError, origin: ProblemOrigin): Problem {
  return {
    ...error.extra,
    ...head(error.code, STATUS_OF_KIND[error.kind]),
    detail: error.message,
    instance: origin.path,
    ...(error.errors.length > 0 && { errors: error.errors }),
  };
}

function fromHttpException(exception: HttpException, origin: ProblemOrigin): Problem {
  const status = exception.getStatus();
  if (exception.cause instanceof URIError)
    return {
      ...head('malformed_url', status),
      detail: 'The path is not percent-encoded UTF-8.',
      instance: origin.path,
    };
  const code = (STATUS_CODES[status] ?? 'error').toLowerCase().replace(/\W+/g, '_');
  const detail = isUnknownRoute(exception)
    ? `There is no ${origin.method} ${origin.path}. ${describePaths(origin)}`
    : exception.message;
  return { ...head(code, status), detail, instance: origin.path };
}

function describePaths({ base, paths }: ProblemOrigin): string {
  if (!paths) return `See ${base}/docs for the API.`;
  return `Paths here: ${paths.map((path) => `${base}${path}`).join(', ')}.`;
}

/** The title is derived from the code: `active_interaction` → `Active interaction`. */
function head(code: string, status: number): Pick<Problem, 'type' | 'title' | 'status'> {
  const words = code.replaceAll('_', ' ');
  return {
    type: `/problems/${code}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status,
  };
}
