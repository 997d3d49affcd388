import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../access/chat-access.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { Authentication } from '../auth/authentication.js';
import type { Principal } from '../auth/principal.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { FileInfo } from '../protocol/wire/file.js';
import { Quotas } from '../quotas/quotas.js';
import { toFile } from './file-catalog.js';
import { FileIntake } from './file-intake.js';
import type { ChatOf, UnregisteredFile } from './file-intake.js';
import { keyOf } from './file-key.js';
import { FileStore } from './file-store.js';
import { auditOf, findOwnChat } from './files.service.js';
import type { Fields, IncomingFile } from './upload/incoming-file.js';
import { UploadLimit } from './upload/upload-limit.js';

/** A file that arrives, with the fields of its form: `chat_id`. */
export interface Upload {
  /** In bytes, as far as it is known: 0 if it is not. */
  readonly expected: number;
  /** Gives the file to `take`, and resolves with its result and all fields. */
  read<T>(
    take: (file: IncomingFile) => Promise<T>,
  ): Promise<{ readonly taken: T; readonly fields: Fields }>;
}

/** Takes the files that users send. */
@Injectable()
export class UploadService {
  constructor(
    private readonly intake: FileIntake,
    private readonly bytes: FileStore,
    private readonly limit: UploadLimit,
    private readonly access: ChatAccess,
    private readonly quotas: Quotas,
    private readonly authentication: Authentication,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Takes a file as it arrives.
   * @throws AppError `chat_not_found` (404), `file_too_large` (413), `quota_exceeded` (429),
   * `files_unavailable` (503), and what `upload.read` throws
   */
  async upload(caller: Principal, upload: Upload): Promise<FileInfo> {
    const end = this.limit.begin(caller);
    try {
      return await this.add(caller, upload);
    } finally {
      end();
    }
  }

  private async add(caller: Principal, upload: Upload): Promise<FileInfo> {
    const { tenant_id, user_id: owner } = caller;
    const reserved = await this.quotas.reserve(tenant_id, upload.expected);
    let stored: UnregisteredFile | undefined;
    let known: ChatOf | undefined;
    const take = async ({ filename, content, fields }: IncomingFile) => {
      known = await this.chatIn(caller, fields);
      const whose = { tenant_id, owner, filename };
      stored = await this.intake.store(whose, content, { chat: known, reserved });
      return stored;
    };
    try {
      const { taken, fields } = await upload.read(take);
      const chat = await this.chatIn(caller, fields);
      if (chat && !known) await this.bytes.assign(keyOf(taken), chat.uid);
      await this.authentication.requireValid(caller);
      const row = await this.intake.register(taken, chat);
      await this.audit.note(caller, 'file.added', auditOf(row));
      return toFile(row);
    } catch (error) {
      if (stored) await this.intake.discard(stored);
      throw error;
    } finally {
      reserved.release();
    }
  }

  private async chatIn(caller: Principal, fields: Fields): Promise<ChatRow | undefined> {
    const id = fields.get('chat_id');
    return id === undefined ? undefined : findOwnChat(this.access, caller, id);
  }
}
