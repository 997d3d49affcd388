import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable, Logger } from '@nestjs/common';
import { chatNotFound } from '../access/not-found.js';
import { viewerOf } from '../access/viewer-of.js';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { Redaction } from '../guardrails/redaction/redaction.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import type { ArchivedFile } from '../persistence/chat-archive.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { Quotas } from '../quotas/quotas.js';
import { Telemetry } from '../telemetry/telemetry.js';
import type { ReservedBytes } from '../quotas/reserved-bytes.js';
import { FileCatalog, toFile } from './file-catalog.js';
import type { FileKey, FileRow } from './file-catalog.js';
import { keyOf } from './file-key.js';
import { FileStore } from './file-store.js';
import { cleanFilename } from './upload/clean-filename.js';
import { tooLarge } from './upload/incoming-file.js';
import { Measured } from './upload/measured.js';
import { sniffType } from './upload/sniff-type.js';
import type { FileInfo } from '../protocol/wire/file.js';

/** Owner of a new file, and its name as it was given. */
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
  /** Id for a file that was exported: a new id of this server. */
  readonly id?: string;
  /** Undefined: now. */
  readonly created_at?: string;
}

/** A file whose bytes are kept, and that has no row yet. */
export type UnregisteredFile = Omit<FileRow, 'chat_id' | 'chat_uid' | 'created_at'>;
export type ChatOf = Pick<ChatRow, 'uid' | 'id'>;
type ImportedChat = ChatOf & Pick<ChatRow, 'tenant_id' | 'owner'>;

export interface Destination {
  /** Undefined: none, or it is not known yet. */
  readonly chat: ChatOf | undefined;
  readonly reserved: ReservedBytes;
}

/**
 * Adds files: uploads, what agents save, and those of imported chats. Bytes come first (`store`),
 * then the row (`register`); a file without a row is swept.
 */
@Injectable()
export class FileIntake {
  private readonly logger = new Logger(FileIntake.name);

  constructor(
    private readonly catalog: FileCatalog,
    private readonly bytes: FileStore,
    private readonly quotas: Quotas,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly telemetry: Telemetry,
    private readonly bus: LiveBus,
    private readonly redaction: Redaction,
  ) {}

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
    let stored: UnregisteredFile | undefined;
    try {
      stored = await this.store(whose, content, { chat, reserved });
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
    const stored = await this.store(whose, content, { chat, reserved });
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
    this.telemetry.emit('file_added', { size_bytes });
  }

  /** Removes the bytes of a file that gets no row. If that fails too, the sweep removes them. */
  async discard(file: FileKey): Promise<void> {
    await this.bytes
      .delete(keyOf(file))
      .catch((err: unknown) => this.logger.debug({ message: 'A file was not discarded.', err }));
  }

  /**
   * Keeps the bytes of a new file, which `register` or `discard` follows.
   * @throws AppError `file_too_large` (413), `quota_exceeded` (429), `files_unavailable` (503)
   */
  async store(
    { filename: sent, ...whose }: NewFile,
    content: Readable,
    { chat, reserved }: Destination,
  ): Promise<UnregisteredFile> {
    const { id = this.ids.make('file') } = whose;
    const filename = await this.nameOf(sent);
    const measured = new Measured();
    measured.on('error', () => {}); // `put` may fail when all of a small file is through
    const put = this.bytes
      .put(keyOf({ id, ...whose }), measured, chat?.uid)
      .catch((error: unknown) => {
        measured.destroy(error as Error);
        throw error;
      });
    // Wait for the two to end before the failure of either is answered.
    for (const each of await Promise.allSettled([
      put,
      pipeline(this.bounded(content, reserved), measured),
    ]))
      if (each.status === 'rejected') throw each.reason;
    const { size_bytes, head } = measured;
    const mime_type = await sniffType(head, filename);
    return { id, ...whose, filename, mime_type, size_bytes, sha256: measured.digest() };
  }

  /** Redacted before it is cut, and again: what is cleaned may come to match. */
  private async nameOf(sent: string): Promise<string> {
    const redacted = async (name: string) => (await this.redaction.of({ name }, 'name')).name;
    return cleanFilename(await redacted(cleanFilename(await redacted(sent))));
  }

  /** @throws AppError `chat_not_found` (404), `quota_exceeded` (429) */
  async register(
    stored: UnregisteredFile,
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
}

/** Fails when it is longer. */
function boundedBy(limit: number, content: Readable): Readable {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const part of content as AsyncIterable<Uint8Array | string>) {
      const chunk = typeof part === 'string' ? Buffer.from(part) : part;
      size += chunk.length;
      if (size > limit) throw tooLarge({ limit, limitedBy: 'FILE_MAX_BYTES' });
      yield chunk;
    }
  };
  return Readable.from(chunks(), { objectMode: false });
}
