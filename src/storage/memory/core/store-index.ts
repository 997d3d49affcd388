import type { ChatOrder } from '../../../persistence/chat.store.js';
import type { ChatRow } from '../../../persistence/rows/chat-rows.js';
import { sees } from '../../../persistence/viewer.js';
import type { AnyViewer, Viewer } from '../../../persistence/viewer.js';
import { chatKey } from './chat-key.js';
import { StartHistory } from './start-history.js';
import type { StoredChat } from './stored-chat.js';
import type { StoredInteraction } from './stored-interaction.js';

/** All chats and interactions by id, and the interaction of each request. */
export class StoreIndex {
  readonly starts = new StartHistory();
  readonly #chats = new Map<string, StoredChat>();
  readonly #byKey = new Map<string, StoredChat>();
  readonly #interactions = new Map<string, StoredInteraction>();
  readonly #ofRequests = new Map<string, StoredInteraction>();
  readonly #ofAgents = new Map<string, StoredInteraction>();
  #requests: RequestPlace[] | undefined;
  readonly #busy = new Set<StoredChat>();
  /** By tenant; by changes, as of the last time that they were listed. */
  readonly #newestFirst = {
    created: new Map<string, readonly StoredChat[]>(),
    updated: new Map<string, readonly StoredChat[]>(),
  };

  addChat(chat: StoredChat): void {
    this.#chats.set(chat.uid, chat);
    this.#byKey.set(chat.key, chat);
    for (const interaction of chat.interactions) this.addInteraction(chat, interaction);
    this.#forgetOrder(chat);
  }

  addInteraction(chat: StoredChat, interaction: StoredInteraction): void {
    this.#interactions.set(interaction.id, interaction);
    const { id, tenant_id, created_at, imported } = interaction.known;
    if (!imported) this.starts.add(tenant_id, id, created_at);
    if (!interaction.hasEnded) this.#busy.add(chat);
    this.addRequests(interaction);
    this.addAgents(interaction);
  }

  addRequests(interaction: StoredInteraction): void {
    for (const { id, created_at } of interaction.requestMarks) {
      if (this.#ofRequests.has(id)) continue;
      this.#ofRequests.set(id, interaction);
      const last = this.#requests?.at(-1);
      if (last && compareKeys(last, { id, created_at }) > 0) this.#requests = undefined;
      this.#requests?.push({ id, created_at, interaction });
    }
  }

  addAgents(interaction: StoredInteraction): void {
    for (const id of interaction.agentIds) this.#ofAgents.set(id, interaction);
  }

  removeChat(chat: StoredChat): void {
    this.#chats.delete(chat.uid);
    this.#byKey.delete(chat.key);
    this.#busy.delete(chat);
    for (const { id, requestMarks, agentIds, state } of chat.interactions) {
      const { input_tokens, output_tokens } = state.usage;
      this.starts.settle(chat.row.tenant_id, id, input_tokens + output_tokens);
      this.#interactions.delete(id);
      for (const request of requestMarks) this.#ofRequests.delete(request.id);
      for (const agent of agentIds) this.#ofAgents.delete(agent);
      if (requestMarks.length > 0) this.#requests = undefined;
    }
    this.#forgetOrder(chat);
  }

  get chats(): Iterable<StoredChat> {
    return this.#chats.values();
  }

  findChat(uid: string): StoredChat | undefined {
    return this.#chats.get(uid);
  }

  findChatByKey(key: string): StoredChat | undefined {
    return this.#byKey.get(key);
  }

  /** The chat with this id in the tenant of the viewer, if the viewer sees it. */
  findSeenChat(id: string, viewer: Viewer): StoredChat | undefined {
    const chat = this.#byKey.get(chatKey({ id, tenant_id: viewer.tenant_id }));
    return chat && sees(viewer, chat.row) ? chat : undefined;
  }

  findInteraction(id: string): StoredInteraction | undefined {
    return this.#interactions.get(id);
  }

  findByRequest(requestId: string): StoredInteraction | undefined {
    return this.#ofRequests.get(requestId);
  }

  findByAgent(agentId: string): StoredInteraction | undefined {
    return this.#ofAgents.get(agentId);
  }

  /** Undefined if the viewer does not see its chat. */
  seen(
    interaction: StoredInteraction | undefined,
    viewer: AnyViewer,
  ): StoredInteraction | undefined {
    const chat = interaction && this.#chats.get(interaction.known.chat_uid);
    return chat && sees(viewer, chat.row) ? interaction : undefined;
  }

  /** All requests, oldest first; sorted anew only after one that is not the newest has come. */
  get requestsByAge(): readonly RequestPlace[] {
    this.#requests ??= [...new Set(this.#ofRequests.values())].flatMap(placesOf).sort(compareKeys);
    return this.#requests;
  }

  /** Chats with an active or queued interaction; the cost depends on their number only. */
  get busyChats(): readonly StoredChat[] {
    for (const chat of this.#busy) if (!chat.isBusy) this.#busy.delete(chat);
    return [...this.#busy];
  }

  /**
   * Chats of a tenant. Only the order by changes is sorted on each call: few chats have moved since
   * the last one.
   */
  newestFirst(tenantId: string, order: ChatOrder): readonly StoredChat[] {
    const known = this.#newestFirst[order].get(tenantId);
    if (known && order === 'created') return known;
    const own = known ?? [...this.#chats.values()].filter(({ row }) => row.tenant_id === tenantId);
    const key = ({ row }: StoredChat): SortKey => sortKeyOf(row, order);
    const sorted = own.toSorted((a, b) => compareKeys(key(b), key(a)));
    this.#newestFirst[order].set(tenantId, sorted);
    return sorted;
  }

  #forgetOrder({ row }: StoredChat): void {
    for (const chats of Object.values(this.#newestFirst)) chats.delete(row.tenant_id);
  }
}

/** A request and where its log is. */
export interface RequestPlace extends SortKey {
  readonly interaction: StoredInteraction;
}

export function placesOf(interaction: StoredInteraction): RequestPlace[] {
  return interaction.requestMarks.map(({ id, created_at }) => ({ id, created_at, interaction }));
}

export interface SortKey {
  readonly created_at: string;
  readonly id: string;
}

/** The key of a chat in a list. */
export function sortKeyOf({ id, created_at, updated_at }: ChatRow, order: ChatOrder): SortKey {
  return { id, created_at: order === 'created' ? created_at : updated_at };
}

export function compareKeys(a: SortKey, b: SortKey): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return 0;
}

/** The index of the first place after `key`, in a list sorted oldest first. */
export function firstAfter(places: readonly SortKey[], key: SortKey): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(places[middle]!, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
