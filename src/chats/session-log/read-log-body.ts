import type { Request } from 'express';
import { bodyChunks } from '../../http/input/body-chunks.js';
import { AppError } from '../../kernel/app-error.js';

export const NDJSON = 'application/x-ndjson';
export const TAR = 'application/x-tar';
const TYPES = [NDJSON, TAR, 'application/ndjson', 'application/jsonl', 'application/x-jsonlines'];

/**
 * Has `read` take a request's body as it arrives, with its media type. The rest is discarded, so
 * that the client can read the response.
 * @throws AppError `unsupported_media_type` (415), `body_cut_off` (400) when the client leaves
 * early
 */
export async function readLogBody<T>(
  request: Request,
  read: (body: AsyncIterable<Uint8Array>, type: string) => Promise<T>,
): Promise<T> {
  try {
    return await read(bodyChunks(request), typeOf(request));
  } catch (error) {
    request.on('data', () => {}).resume(); // the listener: also when `read` lets go of it later
    throw error;
  }
}

function typeOf({ headers }: Request): string {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (TYPES.includes(type) && encoding === 'identity') return type;
  const message = `The body has to be ${NDJSON} or ${TAR}, in UTF-8 and not compressed.`;
  throw new AppError('unsupported', 'unsupported_media_type', message);
}
