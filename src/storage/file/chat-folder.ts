import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ArchivedEnd,
  ArchivedInteraction,
  IncomingChat,
} from '../../persistence/chat-archive.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { ChatRow } from '../../persistence/rows/store-rows.js';
import { branchMarks } from './branch-marks.js';
import { ChatDirectory, INCOMING_PREFIX, makeChatDirectory } from './chat-directory.js';
import { writeChatFile } from './chat-file.js';
import { syncDirectory } from './durable-files.js';
import type { IncomingLog } from './incoming-log.js';
import { beginIncomingLog } from './incoming-log.js';
import type { KeyedMutex } from '../../kernel/keyed-mutex.js';
import { loadChat } from './load-chat.js';
import type { ReportProblem } from './report-problem.js';
import type { StoreIndex } from './store-index.js';
import type { StoredChat } from './stored-chat.js';

export interface IncomingDeps {
  readonly root: string;
  readonly index: StoreIndex;
  readonly mutex: KeyedMutex;
  readonly report: ReportProblem;
}

/** A chat that is being brought in, in a folder that a start throws away: the renaming of the folder is what makes it a chat. */
export class IncomingDirectory implements IncomingChat {
  private readonly logs: IncomingLog[] = [];

  private constructor(
    private readonly deps: IncomingDeps,
    private readonly directory: ChatDirectory,
  ) {}

  static async make(deps: IncomingDeps): Promise<IncomingDirectory> {
    const directory = new ChatDirectory(join(deps.root, `${INCOMING_PREFIX}${randomUUID()}`));
    await mkdir(directory.interactions, { recursive: true });
    return new IncomingDirectory(deps, directory);
  }

  async append(row: ArchivedInteraction, records: readonly LogRecord[]): Promise<void> {
    const known = this.logs.at(-1);
    if (known?.log.id === row.id) return known.append(records);
    const ordinal = this.logs.length + 1;
    this.logs.push(await beginIncomingLog(this.directory, { row, ordinal, records }));
  }

  async end(row: ArchivedInteraction, rest: ArchivedEnd): Promise<void> {
    await this.logs.at(-1)!.end(row, rest);
  }

  commit(chat: ChatRow): Promise<boolean> {
    const { index, mutex } = this.deps;
    return mutex.run(chat.id, async () => {
      const isFree = index.findChat(chat.id) === undefined;
      if (isFree) await this.orRemove(() => this.enter(chat));
      else await this.discard();
      return isFree;
    });
  }

  async discard(): Promise<void> {
    await rm(this.directory.path, { recursive: true, force: true });
  }

  private async enter(row: ChatRow): Promise<void> {
    const { root, index } = this.deps;
    const chat = await this.finish(row);
    await this.moveTo(row.id);
    await syncDirectory(root);
    index.addChat(chat);
  }

  /** Everything that can fail is done where nobody looks. */
  private async finish(row: ChatRow): Promise<StoredChat> {
    const { directory } = this;
    const logs = this.logs.map(({ log }) => log);
    const { head_interaction_id: head, updated_at } = row;
    const byId = new Map(logs.map((log) => [log.id, log]));
    const branches = { logs, find: (id: string) => byId.get(id) };
    const marks = head === null ? undefined : branchMarks(branches, head, updated_at);
    await writeChatFile({ directory, row, turns: logs.length, logs }, marks);
    const chat = await loadChat(directory, this.deps.report);
    await Promise.all([directory.interactions, directory.path].map(syncDirectory));
    return chat!;
  }

  /** Finds the folder's name by making one. */
  private async moveTo(chatId: string): Promise<void> {
    const { interactions, path } = await makeChatDirectory(this.deps.root, chatId);
    await rmdir(interactions);
    await rmdir(path);
    await rename(this.directory.path, path);
    this.directory.path = path;
  }

  private async orRemove(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      await this.discard();
      throw error;
    }
  }
}
