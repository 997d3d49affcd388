import { AppError } from '../../kernel/app-error.js';

/** Characters of a message: as many as fit into a body of the API. */
const MAX_LENGTH = 1024 * 1024;

/**
 * Bodies of façades may be longer than those of the API, for their histories; no message may be.
 * @throws AppError `body_too_large` (413)
 */
export function requireShort<T extends string | undefined>(message: T): T {
  if (message === undefined || message.length <= MAX_LENGTH) return message;
  const detail = `A message has more than ${MAX_LENGTH} characters. Send a shorter one, or upload the text as a file.`;
  throw new AppError('too_large', 'body_too_large', detail, { extra: { limit: MAX_LENGTH } });
}
