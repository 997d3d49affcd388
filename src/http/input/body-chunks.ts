import type { Request } from 'express';
import { AppError } from '../../kernel/app-error.js';

/**
 * The body of a request as it arrives. The request stays open if it is not read to its end.
 * @throws AppError `body_cut_off` (400) when the client leaves early
 */
export async function* bodyChunks(request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new AppError('invalid', 'body_cut_off', 'The body was cut off.', { cause });
  }
}
