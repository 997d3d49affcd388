import type { StoredChat } from './stored-chat.js';
import type { StoredInteraction } from './stored-interaction.js';

/** All chats and interactions by id, and the interaction of each request. */
export class StoreIndex {
  readonly #chats = new Map<string, StoredChat>();
  readonly #interactions = new Map<string, StoredInteraction>();
  readonly #ofRequests = new Map<string, StoredInteraction>();
  readonly #busy = new Set<StoredChat>();
  #newestFirst: readonly StoredChat[] | undefined;

  addChat(chat: StoredChat): void {
    this.#chats.set(chat.id, chat);
    for (const interaction of chat.interactions) this.addInteraction(chat, interaction);
    this.#newestFirst = undefined;
  }

  addInteraction(chat: StoredChat, interaction: StoredInteraction): void {
    this.#interactions.set(interaction.id, interaction);
    if (!interaction.hasEnded) this.#busy.add(chat);
    this.addRequests(interaction);
  }

  addRequests(interaction: StoredInteraction): void {
    for (const id of interaction.requestIds) this.#ofRequests.set(id, interaction);
  }

  removeChat(chat: StoredChat): void {
    this.#chats.delete(chat.id);
    this.#busy.delete(chat);
    for (const { id, requestIds } of chat.interactions) {
      this.#interactions.delete(id);
      for (const request of requestIds) this.#ofRequests.delete(request);
    }
    this.#newestFirst = undefined;
  }

  findChat(id: string): StoredChat | undefined {
    return this.#chats.get(id);
  }

  findInteraction(id: string): StoredInteraction | undefined {
    return this.#interactions.get(id);
  }

  findByRequest(requestId: string): StoredInteraction | undefined {
    return this.#ofRequests.get(requestId);
  }

  /** Chats with an active or queued interaction; the cost depends on their number only. */
  get busyChats(): readonly StoredChat[] {
    for (const chat of this.#busy) if (!chat.isBusy) this.#busy.delete(chat);
    return [...this.#busy];
  }

  /** By creation time, then id. */
  get newestFirst(): readonly StoredChat[] {
    this.#newestFirst ??= [...this.#chats.values()].sort((a, b) => compareKeys(b.row, a.row));
    return this.#newestFirst;
  }
}

export interface SortKey {
  readonly created_at: string;
  readonly id: string;
}

export function compareKeys(a: SortKey, b: SortKey): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return 0;
}
