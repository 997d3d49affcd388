import type { InteractionLog } from './interaction-log.js';
import type { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { Projections } from './projections.js';
import type { ReportProblem } from './report-problem.js';
import { describeError } from './report-problem.js';
import type { StoreIndex } from './store-index.js';
import type { StoredChat } from './stored-chat.js';
import { writeBeginning } from './write-beginning.js';

export interface QueueDeps {
  readonly index: StoreIndex;
  readonly mutex: KeyedMutex;
  readonly projections: Projections;
  readonly report: ReportProblem;
}

/** Lets what is queued begin. */
export class FileQueue {
  constructor(private readonly deps: QueueDeps) {}

  /** In one chat or all, where nothing is active; answers what has begun. */
  async promote(at: string, chatId?: string): Promise<string[]> {
    const { index } = this.deps;
    const chats = chatId === undefined ? index.busyChats : [index.findChat(chatId)];
    const promoted: string[] = [];
    for (const chat of chats) {
      const id = chat?.next && (await this.promoteNext(chat, at));
      if (id) promoted.push(id);
    }
    return promoted;
  }

  /**
   * Writes the beginning of what is next once `ended`, whose end is written but not seen, is over. Answers what lets it be seen. Where
   * that fails the end stands: `promote` finds what is next, or the next start of the process.
   */
  async followUp(chat: StoredChat, ended: InteractionLog, at: string): Promise<() => void> {
    const { next, active } = chat;
    if (!next || (active && active !== ended)) return () => {};
    try {
      return await this.begin(chat, next, at);
    } catch (error) {
      const message = `${next.id} is next, but its beginning could not be written. ${describeError(error)}`;
      this.deps.report({ path: chat.directory.path, message });
      return () => {};
    }
  }

  private promoteNext(chat: StoredChat, at: string): Promise<string | undefined> {
    const { index, mutex } = this.deps;
    const { id } = chat.row;
    return mutex.run(id, async () => {
      const { next, active } = chat;
      if (!next || active || index.findChat(id) !== chat) return undefined;
      const show = await this.begin(chat, next, at);
      show();
      return next.id;
    });
  }

  private async begin(chat: StoredChat, next: InteractionLog, at: string): Promise<() => void> {
    const { projections } = this.deps;
    const show = await writeBeginning(chat, next, at);
    return () => {
      for (const log of [next, ...show()]) projections.refreshInteraction(log);
      projections.refreshChat(chat.row.id);
    };
  }
}
