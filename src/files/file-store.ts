import type { Readable } from 'node:stream';
import { AppError } from '../kernel/app-error.js';

/** Bytes `start` to `end`, both included, from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface StoredBytes {
  readonly key: string;
  readonly size_bytes: number;
  /** When they were put. */
  readonly stored_at: Date;
}

/** How the URL of a file serves it. */
export interface Presentation {
  /** The headers `Content-Type` and `Content-Disposition`. */
  readonly type: string;
  readonly disposition: string;
  readonly expires_in_s: number;
}

/**
 * Port: the bytes of files, by a key `<tenant>/<file id>`. Bytes never change: a key is put once. A
 * rejection with `files_unavailable` means that they can't be reached or written now.
 */
export abstract class FileStore {
  /**
   * Reads the source to its end. The key is there, whole, once it resolves; if it rejects, because
   * the source failed or the store did, nothing is.
   * @param chatUid of the chat that they belong to; undefined: of none
   */
  abstract put(key: string, source: Readable, chatUid?: string): Promise<void>;
  /** The bytes, which were put without a chat, belong to this one. */
  async assign(_key: string, _chatUid: string): Promise<void> {}
  /**
   * The bytes, or some of them. The caller reads or destroys the stream.
   * @throws AppError `file_not_found` (404)
   */
  abstract get(key: string, range?: ByteRange): Promise<Readable>;
  /** No bytes are fine here. */
  abstract delete(key: string): Promise<void>;
  /** @throws AppError `file_not_found` (404) */
  abstract copy(from: string, to: string): Promise<void>;
  /** All, in any order. */
  abstract list(): AsyncIterable<StoredBytes>;
  abstract exists(key: string): Promise<boolean>;
  /** A URL from which anyone gets the bytes for a while; undefined: the store can't make one. */
  abstract presign(key: string, as: Presentation): Promise<string | undefined>;
  /** Removes what uploads left that began before this time and did not end, such as by a kill. */
  abstract removeUnfinished(before: Date): Promise<void>;
}

export function noBytes(key: string): AppError {
  const id = key.split('/').at(-1);
  return new AppError('not_found', 'file_not_found', `There is no file ${id}.`);
}

export function filesUnavailable(why: string, cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'files_unavailable',
    `Files can't be stored or read at the moment: ${why}. Try again.`,
    { cause },
  );
}
