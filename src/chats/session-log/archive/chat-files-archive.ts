import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import type { Principal } from '../../../auth/principal.js';
import { Config } from '../../../config/config.js';
import { FileIntake } from '../../../files/file-intake.js';
import { FilesService } from '../../../files/files.service.js';
import type { Publication } from '../../../files/file-intake.js';
import { Clock } from '../../../kernel/clock.js';
import type { ArchivedFile } from '../../../persistence/chat-archive.js';
import { Quotas } from '../../../quotas/quotas.js';
import type { ReservedBytes } from '../../../quotas/reserved-bytes.js';
import type { NewIds } from '../new-ids.js';
import { SessionLogImporter } from '../session-log-importer.js';
import { SessionLogExporter } from '../session-log-exporter.js';
import { packChat } from './tar-export.js';
import { TarImport } from './tar-import.js';
import type { FileInArchive } from './tar-import.js';
import type { ImportProblem, ImportReport } from '../../../protocol/wire/chat.js';

interface ArchiveImport {
  readonly caller: Principal;
  readonly ids: NewIds;
  readonly body: AsyncIterable<Uint8Array>;
}

interface StagedImport extends Pick<ArchiveImport, 'caller' | 'ids'> {
  readonly archive: TarImport;
  readonly reserved: ReservedBytes;
}

/** Session logs with the files of their chats, as archives. */
@Injectable()
export class ChatFilesArchive {
  constructor(
    private readonly access: ChatAccess,
    private readonly intake: FileIntake,
    private readonly files: FilesService,
    private readonly exporter: SessionLogExporter,
    private readonly importer: SessionLogImporter,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly quotas: Quotas,
  ) {}

  /** @throws AppError `chat_not_found` (404) */
  async open(caller: Principal, chatId: string): Promise<AsyncIterable<Buffer>> {
    const log = await this.exporter.open(caller, chatId);
    const chat = await this.access.chat(caller, chatId);
    return packChat(log, this.files.contentsOf(caller, chat));
  }

  /**
   * Atomic, as the import of a log: the files become visible with their chat. What an interrupted
   * import left of their bytes is swept.
   * @throws AppError as `SessionLogImporter.import`, `invalid_archive` (400), `file_too_large`
   * (413), and `files_unavailable` (503)
   */
  async import({ caller, ids, body }: ArchiveImport): Promise<ImportReport> {
    const reserved = await this.quotas.reserve(caller.tenant_id);
    const archive = new TarImport(body, this.config.importMaxBytes);
    const added: ArchivedFile[] = [];
    const problems: ImportProblem[] = [];
    const files = this.stage({ caller, ids, archive, reserved }, added, problems);
    const request = { caller, ids, body: archive.log(), files };
    try {
      const report = await this.importer.import(request).finally(() => archive.close());
      for (const file of added) this.intake.noteAdded(file);
      return { ...report, files: added.length, problems: [...report.problems, ...problems] };
    } finally {
      reserved.release();
    }
  }

  /** @param added gets the files that are not left out */
  private async *stage(
    { caller, ids, archive, reserved }: StagedImport,
    added: ArchivedFile[],
    problems: ImportProblem[],
  ): AsyncGenerator<ArchivedFile> {
    const { chat_id: id, chat_uid: uid } = ids;
    const chat = { uid, id, tenant_id: caller.tenant_id, owner: caller.user_id };
    const seen = new Set<string>();
    try {
      for await (const file of archive.files()) {
        if (seen.has(file.id)) {
          problems.push({ line: 0, message: `${file.id} is there twice.` });
          continue;
        }
        seen.add(file.id);
        const staged = await this.intake.stage(chat, this.named(file, ids), file.content, reserved);
        added.push(staged);
        yield staged;
      }
    } catch (error) {
      for (const file of added) await this.intake.discard(file);
      throw error;
    }
    const message = `${archive.ignored} entries of the archive are neither its log nor files.`;
    if (archive.ignored > 0) problems.push({ line: 0, message });
  }

  private named(file: FileInArchive, ids: NewIds): Required<Publication> {
    const { id, filename, created_at } = file;
    const now = this.clock.now().getTime();
    const time = new Date(Math.min(now, Math.max(0, created_at.getTime() || 0)));
    return { id: ids.file(id), filename, created_at: time.toISOString() };
  }
}
