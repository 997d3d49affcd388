import { Injectable } from '@nestjs/common';
import { InteractionStore } from '../../persistence/interaction.store.js';
import { RecordStore } from '../../persistence/record.store.js';
import type { FileState } from './file-state.js';

/**
 * Maximum number of cached chats. An evicted chat (least recently used) is read from the log again.
 */
const MAX_CHATS = 1_000;
const MAX_FILES = 1_000;
/** Maximum number of a chat's interactions that are searched in its log. */
const MAX_INTERACTIONS = 20;

/**
 * The files that the agents of a chat have seen, and their state then. A cache: the log holds the
 * same with the results of the calls.
 */
@Injectable()
export class KnownFiles {
  /** Hash by chat, then by path. */
  private readonly chats = new Map<string, Map<string, string>>();

  constructor(
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
  ) {}

  remember(chatUid: string, { path, hash }: FileState): void {
    const files = this.chats.get(chatUid) ?? new Map<string, string>();
    putLast(files, path, hash, MAX_FILES);
    putLast(this.chats, chatUid, files, MAX_CHATS);
  }

  /**
   * Compares the state of a file with the one that the chat saw last. If the cache does not match,
   * the log decides: another process, or an earlier one, may have seen a newer state.
   */
  async compare(chatUid: string, now: FileState): Promise<'same' | 'changed' | 'unseen'> {
    const remembered = this.chats.get(chatUid)?.get(now.path);
    if (remembered === now.hash) return 'same';
    const logged = await this.findInLog(chatUid, now.path);
    if (logged === now.hash) return 'same';
    return (remembered ?? logged) === undefined ? 'unseen' : 'changed';
  }

  private async findInLog(chat_uid: string, path: string): Promise<string | undefined> {
    const limit = MAX_INTERACTIONS;
    const rows = await this.interactions.listInteractions({ chat_uid, superseded: false, limit });
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
