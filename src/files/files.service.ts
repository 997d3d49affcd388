import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { ChatAccess } from '../access/chat-access.js';
import { chatNotFound } from '../access/not-found.js';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { Redaction } from '../guardrails/redaction/redaction.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import type { ArchivedFile } from '../persistence/chat-archive.js';
import type { ChatRow } from '../persistence/rows/store-rows.js';
import type { FileInfo } from '../protocol/file.js';
import { CredentialWatch } from '../http/credential-watch.js';
import { formatPageCursor, parsePageCursor, toPage } from '../http/input/page-cursor.js';
import { Quotas } from '../quotas/quotas.js';
import type { ReservedBytes } from '../quotas/reserved-bytes.js';
import { FileCatalog, toFile } from './file-catalog.js';
import type { FileKey, FileRow } from './file-catalog.js';
import { FileContents } from './file-contents.js';
import { keyOf } from './file-key.js';
import { FileMeter } from './file-meter.js';
import { FilePurge } from './file-purge.js';
import { FileStore } from './file-store.js';
import { cleanFilename } from './upload/clean-filename.js';
import { Measured } from './upload/measured.js';
import { readUpload, tooLarge } from './upload/read-upload.js';
import type { Fields, IncomingFile } from './upload/read-upload.js';
import { sniffType } from './upload/sniff-type.js';
import { UploadLimit } from './upload/upload-limit.js';

const CHAT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Whose a new file is, and its name as it was given. */
export interface NewFile {
  readonly tenant_id: string;
  readonly owner: string;
  readonly filename: string;
  /** Undefined: a new one. */
  readonly id?: string;
}

/** A file that does not come from an upload. */
export interface Publication {
  readonly filename: string;
  /** Of a file that was exported: a new one of this server. */
  readonly id?: string;
  /** Undefined: now. */
  readonly created_at?: string;
}

export interface StoredFile {
  readonly file: FileInfo;
  readonly content: Readable;
}

/** Rows of an export that are in memory at once. */
const PAGE = 100;

type Stored = Omit<FileRow, 'chat_id' | 'chat_uid' | 'created_at'>;
type ChatOf = Pick<ChatRow, 'uid' | 'id'>;
type ImportedChat = ChatOf & Pick<ChatRow, 'tenant_id' | 'owner'>;

/** Adds, finds and deletes files. Bytes come first, then the row; a file without a row is swept. */
@Injectable()
export class FilesService {
  private readonly logger = new Logger(FilesService.name);

  constructor(
    private readonly catalog: FileCatalog,
    private readonly bytes: FileStore,
    private readonly contents: FileContents,
    private readonly purge: FilePurge,
    private readonly access: ChatAccess,
    private readonly quotas: Quotas,
    private readonly audit: AuditTrail,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly meter: FileMeter,
    private readonly bus: LiveBus,
    private readonly redaction: Redaction,
    private readonly uploads: UploadLimit,
    private readonly credentials: CredentialWatch,
  ) {}

  /**
   * Takes the file of a form as it arrives.
   * @throws AppError `chat_not_found` (404), `quota_exceeded` (429), `files_unavailable` (503), and
   * those of `readUpload`
   */
  async upload(caller: Principal, request: Request): Promise<FileInfo> {
    const end = this.uploads.begin(caller);
    try {
      return await this.uploadWithin(caller, request);
    } finally {
      end();
    }
  }

  private async uploadWithin(caller: Principal, request: Request): Promise<FileInfo> {
    const { tenant_id, user_id: owner } = caller;
    const expected = Number(request.headers['content-length'] ?? 0);
    const reserved = await this.quotas.reserve(tenant_id, expected);
    const chatIn = (fields: Fields) => this.findChat(caller, fields.get('chat_id'));
    let stored: Stored | undefined;
    let known: ChatOf | undefined;
    const take = async ({ filename, content, fields }: IncomingFile) => {
      known = await chatIn(fields);
      const counted = Readable.from(reserved.count(content), { objectMode: false });
      stored = await this.store({ tenant_id, owner, filename }, counted, known);
      return stored;
    };
    const form = { limit: this.config.fileMaxBytes, fields: ['chat_id'], take };
    try {
      const { taken, fields } = await readUpload(request, form);
      const chat = await chatIn(fields);
      if (chat && !known) await this.bytes.assign(keyOf(taken), chat.uid);
      await this.credentials.requireValid(caller);
      const row = await this.register(taken, chat);
      await this.note(caller, 'file.added', row);
      return toFile(row);
    } catch (error) {
      if (stored) await this.discard(stored);
      throw error;
    } finally {
      reserved.release();
    }
  }

  /**
   * Adds a file to a chat, whose owner it belongs to.
   * @throws AppError `chat_not_found` (404), `file_too_large` (413), `quota_exceeded` (429),
   * `files_unavailable` (503)
   */
  async publish(
    chat: ChatRow,
    { created_at, ...named }: Publication,
    content: Readable,
  ): Promise<FileInfo> {
    const { tenant_id, owner } = chat;
    const whose = { tenant_id, owner, ...named };
    const reserved = await this.quotas.reserve(tenant_id);
    let stored: Stored | undefined;
    try {
      stored = await this.store(whose, this.bounded(content, reserved), chat);
      return toFile(await this.register(stored, chat, created_at));
    } catch (error) {
      if (stored) await this.discard(stored);
      throw error;
    } finally {
      reserved.release();
    }
  }

  /**
   * Keeps the bytes of a file of a chat that is being imported. Its row comes with the chat;
   * `noteAdded` or `discard` follows.
   * @param reserved for the files of the chat
   * @throws as `publish`
   */
  async stage(
    chat: ImportedChat,
    { created_at, ...named }: Required<Publication>,
    content: Readable,
    reserved: ReservedBytes,
  ): Promise<ArchivedFile> {
    const { tenant_id, owner, uid: chat_uid, id: chat_id } = chat;
    const whose = { tenant_id, owner, ...named };
    const stored = await this.store(whose, this.bounded(content, reserved), chat);
    return { ...stored, chat_uid, chat_id, created_at };
  }

  /**
   * After a start: the bytes of the files that joined its chat belong to the chat. A failure is
   * logged: such bytes can be read, and stay readable when the chat is deleted.
   */
  async moveBytes(
    caller: Principal,
    { chat_uid }: { readonly chat_uid: string },
    files: readonly Pick<FileRow, 'id'>[],
  ): Promise<void> {
    for (const { id } of files)
      try {
        const row = await this.catalog.find(id, viewerOf(caller));
        if (row?.chat_uid === chat_uid) await this.bytes.assign(keyOf(row), chat_uid);
      } catch (err) {
        this.logger.warn({ message: `The bytes of ${id} were not encrypted for their chat.`, err });
      }
  }

  noteAdded({ tenant_id, size_bytes }: Pick<FileRow, 'tenant_id' | 'size_bytes'>): void {
    this.quotas.addFileBytes(tenant_id, size_bytes);
    this.meter.added(size_bytes);
  }

  /** Removes the bytes of a file that gets no row. If that fails too, the sweep removes them. */
  async discard(file: FileKey): Promise<void> {
    await this.bytes
      .delete(keyOf(file))
      .catch((err: unknown) => this.logger.debug({ message: 'A file was not discarded.', err }));
  }

  /** @throws AppError `chat_not_found` (404) */
  async list(
    caller: Principal,
    { chat_id, limit, cursor }: { chat_id?: string; limit: number; cursor?: string },
  ): Promise<{ items: FileInfo[]; next_cursor: string | null }> {
    const before = cursor === undefined ? undefined : parsePageCursor(cursor);
    const chat = await this.findChat(caller, chat_id);
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
    const row = await this.catalog.delete(id, viewerOf(caller));
    if (!row) throw fileNotFound(id);
    this.purge.request();
    await this.note(caller, 'file.deleted', row);
  }

  /** Keeps the bytes of a new file, which `register` or `discard` follows. */
  private async store(
    { filename: sent, ...whose }: NewFile,
    content: Readable,
    chat: ChatOf | undefined,
  ): Promise<Stored> {
    const { id = this.ids.make('file') } = whose;
    const filename = this.nameOf(sent);
    const measured = new Measured();
    const put = this.bytes
      .put(keyOf({ id, ...whose }), measured, chat?.uid)
      .catch((error: unknown) => {
        measured.destroy(error as Error);
        throw error;
      });
    // Both are over before the failure of one is answered.
    for (const each of await Promise.allSettled([put, pipeline(content, measured)]))
      if (each.status === 'rejected') throw each.reason;
    const { size_bytes, head } = measured;
    const mime_type = await sniffType(head, filename);
    return { id, ...whose, filename, mime_type, size_bytes, sha256: measured.digest() };
  }

  /** Redacted before it is cut, and again: what is cleaned may come to match. */
  private nameOf(sent: string): string {
    const redacted = (name: string) => this.redaction.of({ name }, 'name').name;
    return cleanFilename(redacted(cleanFilename(redacted(sent))));
  }

  /** @throws AppError `chat_not_found` (404), `quota_exceeded` (429) */
  private async register(
    stored: Stored,
    chat: ChatOf | undefined,
    created_at = this.clock.now().toISOString(),
  ): Promise<FileRow> {
    const { tenant_id } = stored;
    const room = await this.quotas.roomForFiles(tenant_id);
    const place = { chat_id: chat?.id ?? null, chat_uid: chat?.uid ?? null };
    const row = { ...stored, ...place, created_at };
    const added = await this.catalog.add(row, room);
    if (added === 'no_room') throw this.quotas.noRoom(tenant_id);
    if (added === 'chat_deleted') throw chatNotFound(chat?.id ?? '');
    this.noteAdded(row);
    if (chat) this.bus.noteChange({ chat_uid: chat.uid });
    return row;
  }

  private bounded(content: Readable, reserved: ReservedBytes): Readable {
    const counted = reserved.count(boundedBy(this.config.fileMaxBytes, content));
    return Readable.from(counted, { objectMode: false });
  }

  private async findChat(caller: Principal, id: string | undefined): Promise<ChatRow | undefined> {
    if (id === undefined) return undefined;
    if (!CHAT_ID.test(id)) throw invalidChatId();
    return this.access.chat(caller, id);
  }

  private note(
    caller: Principal,
    action: 'file.added' | 'file.deleted',
    { id: file_id, chat_id, size_bytes }: FileInfo,
  ): Promise<void> {
    const detail = { file_id, size_bytes };
    return this.audit.note(caller, action, { ...(chat_id !== null && { chat_id }), detail });
  }
}

/** Fails when it is longer. */
function boundedBy(limit: number, content: Readable): Readable {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of content as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      yield chunk;
    }
  };
  return Readable.from(chunks(), { objectMode: false });
}

function fileNotFound(id: string): AppError {
  return new AppError('not_found', 'file_not_found', `There is no file ${id}.`);
}

function invalidChatId(): AppError {
  const message = 'must be 1 to 64 letters, digits, _ or -';
  return new AppError('invalid', 'invalid_body', `Invalid body: chat_id ${message}`, {
    errors: [{ field: 'chat_id', message }],
  });
}

function unlessDeleted(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'file_not_found') throw error;
}
