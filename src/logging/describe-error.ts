/** An error as the log keeps it. */
export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

const MAX_CAUSES = 5;

/**
 * What is worth logging of whatever was thrown, with its causes. An error's other members stay out: the SDKs hang requests, and with them keys, on theirs.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, cause, name, message, stack } = error as Error & { code?: unknown };
  return {
    type: name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(stack && { stack }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}
