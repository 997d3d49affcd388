import { branchMarks } from './branch-marks.js';
import { writeChatFile } from './chat-file.js';
import { syncDirectory } from './durable-files.js';
import type { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { Projections } from './projections.js';
import type { StoreIndex } from './store-index.js';

type Switched = 'switched' | 'unknown' | 'busy';

/** Which branch of a chat is the active one. */
export class FileBranches {
  constructor(
    private readonly index: StoreIndex,
    private readonly mutex: KeyedMutex,
    private readonly projections: Projections,
  ) {}

  /** The writing of chat.json is the commit. */
  switchHead(chatId: string, interactionId: string, at: string): Promise<Switched> {
    return this.mutex.run(chatId, async () => {
      const chat = this.index.findChat(chatId);
      if (!chat?.find(interactionId)?.hasBegun) return 'unknown';
      if (chat.isBusy) return 'busy';
      const row = { ...chat.row, head_interaction_id: interactionId };
      const marks = branchMarks(chat, interactionId, at);
      await writeChatFile({ ...chat.parts, row }, marks);
      await syncDirectory(chat.directory.path);
      chat.row = row;
      chat.mark(marks);
      for (const log of marks.keys()) this.projections.refreshInteraction(log);
      return 'switched';
    });
  }
}
