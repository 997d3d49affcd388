import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../access/chat-access.js';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { AuditSubject } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { AnyViewer } from '../persistence/viewer.js';
import { formatPageCursor, parsePageCursor, toPage } from '../kernel/page-cursor.js';
import { FileCatalog, toFile } from './file-catalog.js';
import type { FileRow } from './file-catalog.js';
import { FileContents } from './file-contents.js';
import { FilePurge } from './file-purge.js';
import type { FileInfo, FileList } from '../protocol/wire/file.js';

export interface StoredFile {
  readonly file: FileInfo;
  readonly content: Readable;
}

const CHAT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Rows of an export that are in memory at once. */
const PAGE = 100;

/** Finds and deletes files. */
@Injectable()
export class FilesService {
  constructor(
    private readonly catalog: FileCatalog,
    private readonly contents: FileContents,
    private readonly purge: FilePurge,
    private readonly access: ChatAccess,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws AppError `chat_not_found` (404) */
  async list(
    caller: Principal,
    { chat_id, limit, cursor }: { chat_id?: string; limit: number; cursor?: string },
  ): Promise<FileList> {
    const before = cursor === undefined ? undefined : parsePageCursor(cursor);
    const chat =
      chat_id === undefined ? undefined : await findOwnChat(this.access, caller, chat_id);
    const rows = await this.catalog.list({
      ...{ viewer: viewerOf(caller), limit: limit + 1 },
      ...(chat && { chat_uid: chat.uid }),
      ...(before && { before }),
    });
    return toPage(rows.map(toFile), limit, formatPageCursor);
  }

  /**
   * All files of a chat with their bytes, the newest first; without those deleted meanwhile.
   * @throws AppError `files_unavailable` (503)
   */
  async *contentsOf(caller: Principal, { uid: chat_uid }: ChatRow): AsyncGenerator<StoredFile> {
    const page = { viewer: viewerOf(caller), chat_uid, limit: PAGE };
    for (let before: FileRow | undefined; ;) {
      const rows = await this.catalog.list({ ...page, ...(before && { before }) });
      for (const row of rows) {
        const content = await this.contents.open(row).catch(unlessDeleted);
        if (content) yield { file: toFile(row), content };
      }
      before = rows.at(-1);
      if (rows.length < PAGE) return;
    }
  }

  /** @throws AppError `file_not_found` (404) */
  async find(caller: Principal, id: string): Promise<FileRow> {
    const row = await this.catalog.find(id, viewerOf(caller));
    if (!row) throw fileNotFound(id);
    return row;
  }

  /** @throws AppError `file_not_found` (404) */
  async delete(caller: Principal, id: string): Promise<void> {
    const row = await this.remove(id, viewerOf(caller));
    if (!row) throw fileNotFound(id);
    await this.audit.note(caller, 'file.deleted', auditOf(row));
  }

  /** Deletes a file, if the viewer sees it; its bytes are removed in the background. */
  async remove(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    const row = await this.catalog.delete(id, viewer);
    if (row) this.purge.request();
    return row;
  }
}

/** @throws AppError `invalid_body` (400), `chat_not_found` (404) */
export async function findOwnChat(
  access: ChatAccess,
  caller: Principal,
  id: string,
): Promise<ChatRow> {
  if (!CHAT_ID.test(id)) throw invalidChatId();
  return access.chat(caller, id);
}

/** Without its name. */
export function auditOf({ id: file_id, chat_id, size_bytes }: FileInfo): AuditSubject {
  return { ...(chat_id !== null && { chat_id }), detail: { file_id, size_bytes } };
}

function invalidChatId(): AppError {
  const message = 'must be 1 to 64 letters, digits, _ or -';
  return new AppError('invalid', 'invalid_body', `Invalid body: chat_id ${message}`, {
    errors: [{ field: 'chat_id', message }],
  });
}

function fileNotFound(id: string): AppError {
  const message = `There is no file ${id}. GET /files lists those there are.`;
  return new AppError('not_found', 'file_not_found', message);
}

function unlessDeleted(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'file_not_found') throw error;
}
