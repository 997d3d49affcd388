import { ChatStore, MAX_STATES } from '../../persistence/chat.store.js';
import type {
  ChatListPage,
  ChatOrder,
  SliceOfChats,
  UntouchedChats,
} from '../../persistence/chat.store.js';
import { sees } from '../../persistence/viewer.js';
import type { Viewer } from '../../persistence/viewer.js';
import { newChatRow } from '../../persistence/interaction-rules.js';
import { MAX_PENDING, statusOfChat } from '../../persistence/rows/chat-state.js';
import type { ChatState } from '../../persistence/rows/chat-state.js';
import type { ChatPatch, ChatRow, NewChat } from '../../persistence/rows/chat-rows.js';
import type { Message } from '../../protocol/message.js';
import { chatKey } from './core/chat-key.js';
import type { StoreCore } from './core/store-core.js';
import { compareKeys, sortKeyOf } from './core/store-index.js';
import { StoredChat } from './core/stored-chat.js';

export class MemoryChatStore extends ChatStore {
  constructor(private readonly core: StoreCore) {
    super();
  }

  createChat(chat: NewChat): Promise<boolean> {
    const { index, journal, mutex } = this.core;
    const key = chatKey(chat);
    return mutex.run(key, async () => {
      if (index.findChatByKey(key)) return false;
      const stored = new StoredChat(newChatRow(chat), journal.chat(chat.uid), chat);
      await stored.save();
      index.addChat(stored);
      return true;
    });
  }

  async findChat(id: string, viewer: Viewer): Promise<ChatRow | undefined> {
    return this.core.index.findSeenChat(id, viewer)?.row;
  }

  async findChatByUid(uid: string): Promise<ChatRow | undefined> {
    return this.core.index.findChat(uid)?.row;
  }

  async listChats({ viewer, order, limit, before }: ChatListPage): Promise<ChatRow[]> {
    const all = this.core.index.newestFirst(viewer.tenant_id, order);
    const page: ChatRow[] = [];
    for (let i = before ? firstAfter(all, before, order) : 0; i < all.length; i++) {
      if (page.length >= limit) break;
      const { row } = all[i]!;
      if (sees(viewer, row)) page.push(row);
    }
    return page;
  }

  async readStates(uids: readonly string[]): Promise<Map<string, ChatState>> {
    const chats = uids.flatMap((uid) => this.core.index.findChat(uid) ?? []);
    return new Map(chats.map((chat) => [chat.uid, stateOf(chat)]));
  }

  async listLive(tenantIds: readonly string[], since: string): Promise<string[]> {
    const { index } = this.core;
    const busy = index.busyChats.filter(({ row }) => tenantIds.includes(row.tenant_id));
    const fresh = tenantIds.flatMap((tenant) => {
      const all = index.newestFirst(tenant, 'created');
      const end = all.findIndex(({ row }) => row.created_at < since);
      return all.slice(0, end < 0 ? all.length : end);
    });
    const uids = new Set([...busy, ...fresh].map(({ uid }) => uid));
    return [...uids].slice(0, MAX_STATES);
  }

  async readMessages(uid: string): Promise<readonly Message[]> {
    return this.core.index.findChat(uid)?.messages ?? [];
  }

  updateChat(uid: string, patch: ChatPatch): Promise<ChatRow | undefined> {
    const { title, preview, visibility, settings, metadata, updated_at } = patch;
    return this.change(uid, async (chat) => {
      const row: ChatRow = {
        ...chat.row,
        ...(title !== undefined && { title }),
        ...(preview !== undefined && { preview }),
        ...(visibility !== undefined && { visibility }),
        ...(settings !== undefined && { settings }),
        ...(metadata !== undefined && { metadata }),
        updated_at,
      };
      await chat.save(row);
      return (chat.row = row);
    });
  }

  async deleteChat(uid: string, before?: string): Promise<'deleted' | 'unknown' | 'busy'> {
    const outcome = await this.change(uid, async (chat) => {
      if (chat.isBusy || (before !== undefined && !isUntouched(chat, before))) return 'busy';
      await chat.journal.remove();
      this.core.index.removeChat(chat);
      await this.core.deletedUsage.add(chat.interactions);
      await chat.journal.discard();
      return 'deleted';
    });
    return outcome ?? 'unknown';
  }

  async listUntouched({ before, limit, after = '' }: SliceOfChats): Promise<UntouchedChats> {
    const rest = [...this.core.index.chats].filter(({ uid }) => uid > after);
    const slice = rest.sort((a, b) => (a.uid < b.uid ? -1 : 1)).slice(0, limit);
    const uids = slice.filter((chat) => isUntouched(chat, before)).map(({ uid }) => uid);
    return { uids, next: slice.length < limit ? undefined : slice.at(-1)?.uid };
  }

  /** A deleted chat leaves its usage, and maybe a folder that the next start removes. */
  removeLeftovers(): Promise<void> {
    return this.core.deletedUsage.removeOld(this.core.clock.now());
  }

  async switchHead(
    chatUid: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'> {
    const outcome = await this.change(chatUid, async (chat) => {
      if (!chat.find(interactionId)?.hasBegun) return 'unknown';
      if (chat.isBusy) return 'busy';
      const row = { ...chat.row, head_interaction_id: interactionId };
      const marks = chat.marksFor(interactionId, at);
      await chat.save(row, marks);
      chat.row = row;
      chat.journal.refresh(chatUid, { interactions: chat.mark(marks) });
      return 'switched';
    });
    return outcome ?? 'unknown';
  }

  private async change<T>(
    uid: string,
    task: (chat: StoredChat) => Promise<T>,
  ): Promise<T | undefined> {
    const { index, mutex } = this.core;
    const chat = index.findChat(uid);
    return chat && mutex.run(chat.key, () => (index.findChat(uid) ? task(chat) : undefined));
  }
}

function isUntouched({ row, isBusy, interactions }: StoredChat, before: string): boolean {
  if (isBusy || row.updated_at >= before) return false;
  return interactions.every(({ state }) => state.completed_at! < before);
}

/** The index of the first chat that is older than `key`, in a list sorted newest first. */
function firstAfter(
  chats: readonly StoredChat[],
  { at: created_at, id }: { readonly at: string; readonly id: string },
  order: ChatOrder,
): number {
  const key = { created_at, id };
  let low = 0;
  let high = chats.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(sortKeyOf(chats[middle]!.row, order), key) >= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function stateOf(chat: StoredChat): ChatState {
  const { uid, id, tenant_id, owner, visibility, title, updated_at, head_interaction_id } =
    chat.row;
  const { active, unfinished } = chat;
  const queued = chat.queued.map((each) => each.id);
  const head = head_interaction_id === null ? undefined : chat.find(head_interaction_id);
  const pending = unfinished.flatMap(({ pendingRequests }) => pendingRequests).sort(compareKeys);
  return {
    ...{ uid, id, tenant_id, owner, visibility, title, updated_at, head_interaction_id },
    active_interaction_id: active?.id ?? null,
    status: statusOfChat(active?.state.status, queued, head?.state.status),
    queued,
    queue_changes: chat.queued.map(({ state }) => state.queue_changes ?? 0),
    request_ids: pending.slice(0, MAX_PENDING).map((request) => request.id),
  };
}
