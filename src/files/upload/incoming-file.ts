import type { Readable } from 'node:stream';
import { AppError } from '../../kernel/app-error.js';

export interface IncomingFile {
  /** Name as it was sent. */
  readonly filename: string;
  /** Fails if the file is too large, or the client leaves. */
  readonly content: Readable;
  /** The fields before it. */
  readonly fields: Fields;
}

export type Fields = ReadonlyMap<string, string>;

export interface FileLimit {
  /** Largest file, in bytes, and the variable that sets it. */
  readonly limit: number;
  readonly limitedBy: 'FILE_MAX_BYTES' | 'AUDIO_MAX_BYTES';
}

export function tooLarge({ limit, limitedBy }: FileLimit): AppError {
  return new AppError(
    'too_large',
    'file_too_large',
    `The file is larger than ${limit} bytes. ${limitedBy} sets the limit.`,
    { extra: { limit } },
  );
}
