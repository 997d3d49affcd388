import { Injectable } from '@nestjs/common';
import { viewerOf } from '../../access/viewer-of.js';
import type { Principal } from '../../auth/principal.js';
import { Config } from '../../config/config.js';
import { LiveBus } from '../../event-log/live/live-bus.js';
import { Redaction } from '../../guardrails/redaction/redaction.js';
import { Authentication } from '../../auth/authentication.js';
import { AppError } from '../../kernel/app-error.js';
import { Breather } from '../../kernel/async/breather.js';
import { Clock } from '../../kernel/clock.js';
import { ChatArchive } from '../../persistence/chat-archive.js';
import type { ArchivedFile, IncomingChat } from '../../persistence/chat-archive.js';
import { ChatStore } from '../../persistence/chat.store.js';
import { Quotas } from '../../quotas/quotas.js';
import { ChatSettingsRules } from '../chat-settings-rules.js';
import { ChatImport } from './chat-import.js';
import { readBodyLines } from './ndjson.js';
import type { NewIds } from './new-ids.js';
import { ProblemList } from './problem-list.js';
import type { ImportReport } from '../../protocol/wire/chat.js';

export interface ImportRequest {
  /** Owns the new chat. */
  readonly caller: Principal;
  /** Ids of the new chat and of everything in it. */
  readonly ids: NewIds;
  readonly body: AsyncIterable<Uint8Array>;
  /** Files of the new chat; read after the body. */
  readonly files?: AsyncIterable<ArchivedFile>;
}

/** Imports session logs as new chats. */
@Injectable()
export class SessionLogImporter {
  private isBusy = false;

  constructor(
    private readonly chats: ChatStore,
    private readonly archive: ChatArchive,
    private readonly settings: ChatSettingsRules,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly redaction: Redaction,
    private readonly quotas: Quotas,
    private readonly bus: LiveBus,
    private readonly authentication: Authentication,
  ) {}

  /**
   * Atomic: the chat is visible with everything in it, or not at all. One at a time: each may need
   * as much memory as its longest interaction.
   * @throws AppError `chat_exists` (409), `nothing_to_import` (400), `log_too_large` (413),
   * `quota_exceeded` (429), `import_busy` (503)
   */
  async import(request: ImportRequest): Promise<ImportReport> {
    if (this.isBusy) throw importBusy();
    this.isBusy = true;
    try {
      return await this.importAlone(request);
    } finally {
      this.isBusy = false;
    }
  }

  private async importAlone(request: ImportRequest): Promise<ImportReport> {
    const { caller, ids } = request;
    const { chat_id, chat_uid: uid } = ids;
    const { tenant_id } = caller;
    if (await this.chats.findChat(chat_id, viewerOf(caller))) throw chatExists(chat_id);
    const reserved = await this.quotas.reserve(tenant_id);
    const incoming = await this.archive.receive({ uid, tenant_id });
    try {
      return await this.receive({ ...request, body: reserved.count(request.body) }, incoming);
    } catch (error) {
      await incoming.discard();
      throw error;
    } finally {
      reserved.release();
    }
  }

  private async receive(
    { caller, ids, body, files: added = noFiles() }: ImportRequest,
    incoming: IncomingChat,
  ): Promise<ImportReport> {
    const problems = new ProblemList();
    const { clock, settings, redaction } = this;
    const reading = new ChatImport({ caller, incoming, ids, problems, clock, settings, redaction });
    const breather = new Breather(); // lines that have arrived come without a turn of the event loop
    for await (const line of readBodyLines(body, this.config.importMaxBytes)) {
      await reading.take(line);
      await breather.breathe();
    }
    const chat = await reading.end(clock.now().toISOString());
    if (!chat) throw nothingToImport(problems);
    const files: ArchivedFile[] = [];
    for await (const file of added) files.push(file);
    await this.authentication.requireValid(caller);
    if (!(await incoming.commit({ ...chat, files }))) throw chatExists(ids.chat_id);
    this.bus.noteChange({ chat_uid: chat.uid, tenant_id: chat.tenant_id });
    const { interactions, records } = reading;
    return { interactions, records, problems: problems.all };
  }
}

async function* noFiles(): AsyncGenerator<ArchivedFile> {}

function importBusy(): AppError {
  return new AppError(
    'unavailable',
    'import_busy',
    'Another session log is being imported. Retry when it is done.',
  );
}

function chatExists(id: string): AppError {
  return new AppError(
    'conflict',
    'chat_exists',
    `There is a chat ${id} already. Choose another chat_id.`,
  );
}

function nothingToImport(problems: ProblemList): AppError {
  return new AppError(
    'invalid',
    'nothing_to_import',
    'The body holds no line of a session log from which a chat can be made. GET /chats/{chat_id}/log answers one.',
    { extra: { problems: problems.all } },
  );
}
