/** The kind of an error, independent of HTTP; `http/errors/to-problem.ts` maps each to a status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'timed_out'
  | 'conflict'
  | 'too_large'
  | 'unsupported'
  | 'unsatisfiable'
  | 'unprocessable'
  | 'upgrade_required'
  | 'misdirected'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

/** A fault of one input field; `field` is a path such as `client_tools.0.name`. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  readonly errors?: readonly FieldFault[];
  /** Further members of the problem document, e.g. `active_interaction_id`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** When a repetition may succeed, for the header `Retry-After`. */
  readonly retry_after_s?: number;
}

/**
 * The application's own error type. `code` is stable and becomes the problem's `type`; `message`
 * tells the user what to do next.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly errors: readonly FieldFault[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly retry_after_s: number | undefined;

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.errors = options.errors ?? [];
    this.extra = options.extra ?? {};
    this.retry_after_s = options.retry_after_s;
  }
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
