import type { AnyViewer } from '../persistence/viewer.js';
import { sees } from '../persistence/viewer.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { FileInfo } from '../protocol/wire/file.js';

/** A file with what clients never see. */
export interface FileRow extends FileInfo {
  readonly tenant_id: string;
  readonly chat_uid: string | null;
}

export type FileKey = Pick<FileRow, 'id' | 'tenant_id'>;

export interface FilePage {
  /** `ANY_TENANT` needs `chat_uid`. */
  readonly viewer: AnyViewer;
  readonly limit: number;
  /** Undefined: the files of every chat that the viewer sees, and their files without a chat. */
  readonly chat_uid?: string;
  /** The last row of the previous page. */
  readonly before?: Pick<FileRow, 'created_at' | 'id'>;
}

export type AddedFile = 'added' | 'chat_deleted' | 'no_room';

/**
 * Port: the rows of files; a `FileStore` has their bytes. Deleting a chat deletes its files.
 * A deleted row is no longer found; `listDeleted` returns it until its bytes are removed.
 * Rejections mean that the store is unavailable or broken.
 */
export abstract class FileCatalog {
  /**
   * Nothing is changed unless it is added.
   * @param room bytes that the files of the tenant may have with it, also if several are added at
   * the same time; undefined: any number
   */
  abstract add(row: FileRow, room?: number): Promise<AddedFile>;
  abstract find(id: string, viewer: AnyViewer): Promise<FileRow | undefined>;
  /** Newest first, by creation, then id. */
  abstract list(page: FilePage): Promise<FileRow[]>;
  /** The ids of the newest files of each of these chats that has any, newest first. */
  abstract findNewest(
    chatUids: readonly string[],
    limit: number,
  ): Promise<Map<string, readonly string[]>>;
  /** Returns the file, if the viewer sees it. Of concurrent calls, one gets it. */
  abstract delete(id: string, viewer: AnyViewer): Promise<FileRow | undefined>;
  /** Deletes the files without a chat that were created before. Returns their number. */
  abstract deleteUnattached(before: string): Promise<number>;
  /** By id; `after` is the last of the previous page. */
  abstract listDeleted(page: { limit: number; after?: string }): Promise<FileKey[]>;
  /** Forgets a deleted file, whose bytes are removed. */
  abstract remove(id: string): Promise<void>;
  /** The id of the folder that has the bytes; undefined: they are in none yet. */
  abstract findFolder(): Promise<string | undefined>;
  /** Keeps the id of the folder unless there is one. The id that is kept then. */
  abstract claimFolder(id: string): Promise<string>;
  /** The ids among these that have a row, deleted ones included. */
  abstract findKnown(ids: readonly string[]): Promise<string[]>;
}

/**
 * True if a viewer sees a file; `chat` is that of the file. The same condition is in
 * `storage/typeorm/stores/typeorm-file-catalog.ts`.
 */
export function seesFile(
  viewer: AnyViewer,
  { tenant_id, owner, chat_uid }: FileRow,
  chat: ChatRow | undefined,
): boolean {
  if (chat_uid !== null) return chat !== undefined && sees(viewer, chat);
  return sees(viewer, { tenant_id, owner, visibility: 'private' });
}

/** Without what clients never see. */
export function toFile(row: FileRow): FileInfo {
  const { id, chat_id, filename, mime_type, size_bytes, sha256, created_at, owner } = row;
  return { id, chat_id, filename, mime_type, size_bytes, sha256, created_at, owner };
}
