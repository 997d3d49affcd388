import { Injectable } from '@nestjs/common';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { RecordStore } from '../../persistence/record.store.js';
import type { FileState } from './file-state.js';

/** Beyond that, what was longest not used is looked up in the log again. */
const MAX_CHATS = 1_000;
const MAX_FILES = 1_000;
/** How far back a chat's log is searched. */
const MAX_INTERACTIONS = 20;

/** Which files a chat's agents have seen, and in which state. The log holds that with the results of their calls; here it is at hand. */
@Injectable()
export class KnownFiles {
  /** By chat, then path. */
  private readonly chats = new Map<string, Map<string, string>>();

  constructor(
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
  ) {}

  remember(chatId: string, { path, hash }: FileState): void {
    const files = this.chats.get(chatId) ?? new Map<string, string>();
    putLast(files, path, hash, MAX_FILES);
    putLast(this.chats, chatId, files, MAX_CHATS);
  }

  /** Whether a file is as the chat last saw it. Another process, or one before this, may know better than this one. */
  async compare(chatId: string, now: FileState): Promise<'same' | 'changed' | 'unseen'> {
    const remembered = this.chats.get(chatId)?.get(now.path);
    if (remembered === now.hash) return 'same';
    const logged = await this.findInLog(chatId, now.path);
    if (logged === now.hash) return 'same';
    return (remembered ?? logged) === undefined ? 'unseen' : 'changed';
  }

  private async findInLog(chat_id: string, path: string): Promise<string | undefined> {
    const limit = MAX_INTERACTIONS;
    const rows = await this.interactions.listInteractions({ chat_id, superseded: false, limit });
    for (const { id } of rows) {
      const results = await this.records.readRecordsOfTypes([id], ['TOOL_RESULT']);
      const seen = results.map(({ hidden }) =>
        hidden && 'seen' in hidden ? hidden.seen : undefined,
      );
      const last = seen.findLast((state) => state?.path === path);
      if (last) return last.hash;
    }
    return undefined;
  }
}

function putLast<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}
