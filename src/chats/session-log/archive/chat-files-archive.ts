import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import type { Principal } from '../../../auth/principal.js';
import { Config } from '../../../config/config.js';
import { FilesService } from '../../../files/files.service.js';
import { Redaction } from '../../../guardrails/redaction/redaction.js';
import { Clock } from '../../../kernel/clock.js';
import type { ChatRow } from '../../../persistence/rows/store-rows.js';
import { ChatsService } from '../../chats.service.js';
import type { NewIds } from '../new-ids.js';
import { SessionLogImporter } from '../session-log-importer.js';
import type { ImportReport } from '../session-log-importer.js';
import { SessionLogExporter } from '../session-log-exporter.js';
import { packChat } from './tar-export.js';
import { TarImport } from './tar-import.js';
import type { ArchivedFile } from './tar-import.js';

interface ArchiveImport {
  readonly caller: Principal;
  readonly ids: NewIds;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Session logs with the files of their chats, as archives. */
@Injectable()
export class ChatFilesArchive {
  constructor(
    private readonly access: ChatAccess,
    private readonly chats: ChatsService,
    private readonly files: FilesService,
    private readonly exporter: SessionLogExporter,
    private readonly importer: SessionLogImporter,
    private readonly redaction: Redaction,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `chat_not_found` (404) */
  async open(caller: Principal, chatId: string): Promise<AsyncIterable<Buffer>> {
    const log = await this.exporter.open(caller, chatId);
    const chat = await this.access.chat(caller, chatId);
    return packChat(log, this.files.contentsOf(caller, chat));
  }

  /**
   * The chat is there with all of its files, or not at all.
   * @throws AppError as `SessionLogImporter.import`, `invalid_archive` (400), `file_too_large`
   * (413), and `files_unavailable` (503)
   */
  async import({ caller, ids, body }: ArchiveImport): Promise<ImportReport> {
    const archive = new TarImport(body, this.config.importMaxBytes);
    const { chat_id } = ids;
    const report = await this.importer.import({ caller, ids, body: archive.log() });
    try {
      const chat = await this.access.chat(caller, chat_id);
      const problems = [...report.problems];
      const seen = new Set<string>();
      for await (const file of archive.files()) {
        if (seen.has(file.id)) problems.push({ line: 0, message: `${file.id} is there twice.` });
        else await this.add(chat, ids, file);
        seen.add(file.id);
      }
      const message = `${archive.ignored} entries of the archive are neither its log nor files.`;
      if (archive.ignored > 0) problems.push({ line: 0, message });
      return { ...report, files: seen.size, problems };
    } catch (error) {
      await this.chats.delete(caller, chat_id);
      throw error;
    }
  }

  private async add(chat: ChatRow, ids: NewIds, file: ArchivedFile): Promise<void> {
    const { filename } = this.redaction.of({ filename: file.filename }, 'filename');
    const now = this.clock.now().getTime();
    const created_at = new Date(Math.min(now, Math.max(0, file.created_at.getTime() || 0)));
    const as = { id: ids.file(file.id), filename, created_at: created_at.toISOString() };
    await this.files.publish(chat, as, file.content);
  }
}
