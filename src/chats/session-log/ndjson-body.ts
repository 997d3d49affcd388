import type { Request } from 'express';
import { AppError } from '../../kernel/app-error.js';

export const NDJSON = 'application/x-ndjson';
const TYPES = [NDJSON, 'application/ndjson', 'application/jsonl', 'application/x-jsonlines'];

/**
 * Has `read` take a request's body as it arrives. What it leaves unread is thrown away, so that the client gets to read the answer.
 * @throws AppError `unsupported_media_type` (415), `body_cut_off` (400) when the client leaves in the middle
 */
export async function readNdjson<T>(
  request: Request,
  read: (body: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  try {
    checkType(request);
    return await read(chunksOf(request));
  } catch (error) {
    request.resume();
    throw error;
  }
}

async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new AppError('invalid', 'body_cut_off', 'The body was cut off.', { cause });
  }
}

function checkType({ headers }: Request): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (TYPES.includes(type) && encoding === 'identity') return;
  const message = `The body has to be ${NDJSON}, in UTF-8 and not compressed.`;
  throw new AppError('unsupported', 'unsupported_media_type', message);
}
