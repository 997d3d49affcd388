import type { InteractionLog } from './interaction-log.js';
import type { StoredChat } from './stored-chat.js';

/** Every chat and interaction by its id, and whose each request and agent is. */
export class StoreIndex {
  readonly #chats = new Map<string, StoredChat>();
  readonly #logs = new Map<string, InteractionLog>();
  readonly #requests = new Map<string, InteractionLog>();
  readonly #agents = new Map<string, InteractionLog>();
  readonly #busy = new Set<StoredChat>();
  #newestFirst: StoredChat[] | undefined;

  addChat(chat: StoredChat): void {
    this.#chats.set(chat.row.id, chat);
    for (const log of chat.logs) this.addLog(log);
    this.#newestFirst = undefined;
  }

  addLog(log: InteractionLog): void {
    this.#logs.set(log.id, log);
    if (!log.hasEnded) this.#busy.add(this.#chats.get(log.known.chat_id)!);
    this.addRequests(log);
    this.addAgents(log);
  }

  /** As many as memory knows of. */
  addAgents(log: InteractionLog): void {
    for (const id of log.agents) this.#agents.set(id, log);
  }

  addRequests(log: InteractionLog): void {
    for (const id of log.requests.ids) this.#requests.set(id, log);
  }

  removeChat(chat: StoredChat): void {
    this.#chats.delete(chat.row.id);
    this.#busy.delete(chat);
    for (const log of chat.logs) {
      this.#logs.delete(log.id);
      for (const id of log.requests.ids) this.#requests.delete(id);
      for (const id of log.agents) this.#agents.delete(id);
    }
    this.#newestFirst = undefined;
  }

  findChat(id: string): StoredChat | undefined {
    return this.#chats.get(id);
  }

  findLog(id: string): InteractionLog | undefined {
    return this.#logs.get(id);
  }

  /** Whose request it is. */
  findLogOfRequest(requestId: string): InteractionLog | undefined {
    return this.#requests.get(requestId);
  }

  /** Whose agent it is, as far as memory knows. */
  findLogOfAgent(agentId: string): InteractionLog | undefined {
    return this.#agents.get(agentId);
  }

  get chats(): Iterable<StoredChat> {
    return this.#chats.values();
  }

  /** Those in which something is active or queued, however many others there are. */
  get busyChats(): readonly StoredChat[] {
    for (const chat of this.#busy) if (!chat.isBusy) this.#busy.delete(chat);
    return [...this.#busy];
  }

  /** By creation, then id. */
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
