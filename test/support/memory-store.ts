import { setImmediate as nextTick } from 'node:timers/promises';
import type { WholeStore } from './whole-store.js';
import type {
  InterveneOutcome,
  InterventionRow,
  NewIntervention,
} from '../../src/persistence/rows/intervention-rows.js';
import { MAX_INTERVENTIONS } from '../../src/persistence/rows/intervention-rows.js';
import type { LogRecord } from '../../src/persistence/rows/log-record.js';
import type {
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../src/persistence/rows/request-rows.js';
import type {
  AppendBatch,
  AppendOutcome,
  ChatPatch,
  ChatRow,
  InteractionEnd,
  InteractionRow,
  Lease,
  LeaseState,
  LeaseTerms,
  NewChat,
  StartInteraction,
  StartOutcome,
  Unowned,
} from '../../src/persistence/rows/store-rows.js';
import { isFinal, isWaiting } from '../../src/protocol/interaction.js';
import type { RecordType } from '../../src/protocol/events.js';
import type { Message } from '../../src/protocol/message.js';
import { MemoryRequests } from './memory-requests.js';
import type { Saved } from './memory-rows.js';
import { copy, isQueued, MemoryRows } from './memory-rows.js';
import { startIn } from './memory-starts.js';

/** The store for tests of what is above it: all in memory, everything as JSON would give it back, time as the test says. */
export class MemoryStore implements WholeStore {
  private readonly rows = new MemoryRows();
  private readonly requests = new MemoryRequests();
  private readonly interventions = new Map<string, InterventionRow[]>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  async createChat(chat: NewChat): Promise<boolean> {
    if (this.rows.chats.has(chat.id)) return false;
    this.rows.insertChat(chat);
    return true;
  }

  async findChat(id: string): Promise<ChatRow | undefined> {
    return this.rows.chats.get(id)?.row;
  }

  async listChats(page: Parameters<WholeStore['listChats']>[0]): Promise<ChatRow[]> {
    const { limit, before } = page;
    const place = ({ created_at, id }: { created_at: string; id: string }) => created_at + id;
    return [...this.rows.chats.values()]
      .map(({ row }) => row)
      .filter((row) => !before || place(row) < place(before))
      .sort((a, b) => (place(a) < place(b) ? 1 : -1))
      .slice(0, limit);
  }

  async updateChat(id: string, patch: ChatPatch): Promise<ChatRow | undefined> {
    const chat = this.rows.chats.get(id);
    if (chat) chat.row = copy({ ...chat.row, ...patch });
    return chat?.row;
  }

  async deleteChat(id: string): Promise<'deleted' | 'unknown' | 'busy'> {
    if (!this.rows.chats.has(id)) return 'unknown';
    if (this.rows.unfinished(id).length > 0) return 'busy';
    for (const { row } of this.rows.of(id)) {
      this.rows.interactions.delete(row.id);
      this.requests.delete(row.id);
      this.interventions.delete(row.id);
    }
    this.rows.chats.delete(id);
    return 'deleted';
  }

  async switchHead(
    chatId: string,
    interactionId: string,
    at: string,
  ): Promise<'switched' | 'unknown' | 'busy'> {
    const chat = this.rows.chats.get(chatId);
    const target = this.rows.interactions.get(interactionId);
    if (!chat || target?.row.chat_id !== chatId || !target.hasBegun) return 'unknown';
    if (this.rows.unfinished(chatId).length > 0) return 'busy';
    chat.row = { ...chat.row, head_interaction_id: interactionId };
    this.rows.markBranch(interactionId, at);
    return 'switched';
  }

  async startInteraction(start: StartInteraction): Promise<StartOutcome> {
    const outcome = startIn(this.rows, start);
    if (outcome.outcome === 'started' && start.lease)
      this.lend(this.rows.get(outcome.interaction.id), start.lease);
    return outcome;
  }

  async listUnfinished(chatId: string): Promise<InteractionRow[]> {
    return this.rows.unfinished(chatId).map(({ row }) => row);
  }

  async promoteQueued(at: string, chatId?: string): Promise<string[]> {
    const chats = chatId === undefined ? [...this.rows.chats.keys()] : [chatId];
    return chats.flatMap((id) => this.rows.promote(id, at) ?? []);
  }

  async findInteraction(id: string): Promise<InteractionRow | undefined> {
    await nextTick();
    return this.rows.interactions.get(id)?.row;
  }

  async findInteractionOfAgent(agentId: string): Promise<InteractionRow | undefined> {
    const saved = [...this.rows.interactions.values()].find(
      ({ row, records }) =>
        row.agent_id === agentId ||
        records.some((each) => each.agent_id === agentId && each.body.type === 'AGENT_STARTED'),
    );
    return saved?.row;
  }

  async findActiveInteraction(chatId: string): Promise<InteractionRow | undefined> {
    return this.rows.active(chatId)?.row;
  }

  async listInteractions(
    page: Parameters<WholeStore['listInteractions']>[0],
  ): Promise<InteractionRow[]> {
    const { chat_id, superseded, limit, before } = page;
    const mark = before === undefined ? undefined : this.rows.interactions.get(before);
    if (before !== undefined && !mark) return [];
    const all = superseded
      ? this.rows.of(chat_id).toReversed()
      : this.rows.activeBefore(chat_id, mark);
    const from = mark ? all.indexOf(mark) + 1 : 0;
    return all.slice(from, from + limit).map(({ row }) => row);
  }

  async getPreviousState(interactionId: string): Promise<Message[]> {
    const messages: Message[] = [];
    let id = this.rows.interactions.get(interactionId)?.row.parent_id ?? null;
    while (id !== null) {
      messages.unshift(...(this.rows.get(id).added ?? []));
      id = this.rows.get(id).row.parent_id;
    }
    return messages;
  }

  async findAddedMessages(ids: readonly string[]): Promise<Map<string, Message[]>> {
    const found = ids.flatMap((id): [string, Message[]][] => {
      const added = this.rows.interactions.get(id)?.added;
      return added ? [[id, [...added]]] : [];
    });
    return new Map(found);
  }

  async append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    await nextTick(); // as anything that does I/O
    return batches.map((batch) => this.write(batch));
  }

  async readRecords(
    id: string,
    { after, limit }: { after: number; limit: number },
  ): Promise<LogRecord[]> {
    return (this.rows.interactions.get(id)?.records ?? []).slice(after, after + limit);
  }

  async readRecordsOfTypes(
    ids: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    const records = [...ids].sort().flatMap((id) => this.rows.interactions.get(id)?.records ?? []);
    return records.filter(({ body }) => types.includes(body.type));
  }

  async readLastSeqs(ids: readonly string[]): Promise<Map<string, number>> {
    const known = ids.filter((id) => this.rows.interactions.has(id));
    return new Map(known.map((id) => [id, this.rows.get(id).row.last_seq]));
  }

  async acquireLease(id: string, terms: LeaseTerms): Promise<Lease | undefined> {
    const saved = this.rows.interactions.get(id);
    if (!saved || !this.isWanting(saved)) return undefined;
    const { owner: lost_owner, parked } = saved;
    const { epoch, last_seq } = saved.row;
    const isOwn = terms.never_begun === true && saved.owner === terms.owner;
    saved.losses = lossesOf(isOwn ? { ...saved, owner: null } : saved);
    saved.taken_seq = epoch > 0 && parked === null ? last_seq + 1 : last_seq;
    saved.row = { ...saved.row, epoch: epoch + 1 };
    saved.parked = null;
    this.lend(saved, terms);
    const { row: interaction, losses } = saved;
    return { interaction, lost_owner, parked: parked !== null, losses };
  }

  async renewLeases(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): Promise<LeaseState[]> {
    return held.flatMap(({ interaction_id, epoch }) => {
      const saved = this.rows.interactions.get(interaction_id);
      if (!saved || saved.row.epoch !== epoch || saved.owner !== terms.owner) return [];
      this.lend(saved, terms);
      const { signals, cancel_reason } = saved.row;
      return [{ interaction_id, signals, cancel_reason }];
    });
  }

  async releaseLease(id: string, epoch: number): Promise<void> {
    const saved = this.rows.interactions.get(id);
    if (saved?.row.epoch === epoch) saved.owner = null;
  }

  async park(lease: { interaction_id: string; epoch: number; signals: number }): Promise<boolean> {
    const saved = this.rows.interactions.get(lease.interaction_id);
    if (!saved?.owner || !isWaiting(saved.row.status)) return false;
    const { epoch, signals, cancel_reason } = saved.row;
    if (epoch !== lease.epoch || signals !== lease.signals || cancel_reason !== null) return false;
    saved.owner = null;
    saved.parked = signals;
    return true;
  }

  async listUnowned(limit: number): Promise<Unowned[]> {
    return [...this.rows.interactions.values()]
      .filter((saved) => this.isWanting(saved))
      .sort((a, b) => (a.row.created_at < b.row.created_at ? -1 : 1))
      .slice(0, limit)
      .map((saved) => ({
        id: saved.row.id,
        is_lost: saved.owner !== null,
        losses: lossesOf(saved),
      }));
  }

  async settleRequest(settle: SettleRequest): Promise<SettleOutcome> {
    const asked = this.requests.find(settle.request_id);
    const isCancelled = !!asked && this.rows.get(asked.interaction_id).row.cancel_reason !== null;
    const settled = this.requests.settle(settle, isCancelled);
    if (typeof settled === 'string') return { outcome: settled };
    const saved = this.rows.get(settled.interaction_id);
    saved.row = { ...saved.row, signals: saved.row.signals + 1 };
    return { outcome: 'settled', interaction: saved.row };
  }

  async findRequest(id: string): Promise<RequestRow | undefined> {
    return this.requests.find(id);
  }

  async listRequests(page: RequestPage): Promise<RequestRow[]> {
    return this.requests.list(page);
  }

  async listExpiredRequests(at: string, limit: number): Promise<RequestRow[]> {
    return this.requests.listExpired(at, limit);
  }

  async requestCancel(id: string, reason: string): Promise<InteractionRow | undefined> {
    const saved = this.rows.interactions.get(id);
    if (saved && !isFinal(saved.row.status)) this.rows.cancel(saved, reason);
    return saved?.row;
  }

  async intervene(wanted: NewIntervention): Promise<InterveneOutcome> {
    const saved = this.rows.interactions.get(wanted.interaction_id);
    if (!saved) return { outcome: 'unknown' };
    const { id, status, cancel_reason, signals } = saved.row;
    if (isFinal(status) || cancel_reason !== null) return { outcome: 'ended' };
    const rows = this.interventions.get(id) ?? [];
    if (rows.length >= MAX_INTERVENTIONS) return { outcome: 'too_many' };
    saved.row = { ...saved.row, signals: signals + 1 };
    this.interventions.set(id, [...rows, copy({ ...wanted, signal: signals + 1 })]);
    return { outcome: 'accepted', interaction: saved.row };
  }

  async listInterventions(interactionId: string): Promise<InterventionRow[]> {
    return this.interventions.get(interactionId) ?? [];
  }

  async ping(): Promise<void> {}

  private write({ interaction_id, epoch, records, ...batch }: AppendBatch): AppendOutcome {
    const saved = this.rows.interactions.get(interaction_id);
    if (!saved || saved.row.epoch !== epoch) return 'fenced';
    const { last_seq, status } = saved.row;
    const wasQueued = isQueued(saved);
    const fresh = records.filter((record) => record.seq > last_seq);
    if (records.length > 0 && fresh.length === 0) return 'written';
    if (isFinal(status)) return 'fenced';
    if (fresh.length > 0 && fresh[0]!.seq !== last_seq + 1)
      throw new Error(`There is a gap after record ${last_seq}.`);
    saved.records.push(...copy(fresh));
    saved.row = copy({
      ...saved.row,
      ...effectsOf(batch),
      last_seq: fresh.at(-1)?.seq ?? last_seq,
    });
    this.requests.add(saved.row, batch.requests ?? []);
    if (batch.end) this.end(saved, batch.end, wasQueued);
    return 'written';
  }

  private end(saved: Saved, end: InteractionEnd, wasQueued: boolean): void {
    const { completed_at } = end;
    saved.added = copy(end.added_messages);
    saved.owner = null;
    if (wasQueued) this.rows.leaveQueue(saved, completed_at);
    this.requests.close(saved.row.id, completed_at);
    this.rows.promote(saved.row.chat_id, completed_at);
  }

  private lend(saved: Saved, { owner, ttl_ms }: LeaseTerms): void {
    saved.owner = owner;
    saved.lease_until = this.now() + ttl_ms;
  }

  /** It should run, and nobody holds it. */
  private isWanting(saved: Saved): boolean {
    const { status, cancel_reason, signals } = saved.row;
    if (isFinal(status) || this.isHeld(saved)) return false;
    return isQueued(saved) ? cancel_reason !== null : saved.parked !== signals;
  }

  private isHeld({ owner, lease_until }: Saved): boolean {
    return owner !== null && lease_until > this.now();
  }
}

/** Lost runs in a row that had written nothing. */
function lossesOf({ row, taken_seq, losses, owner }: Saved): number {
  return row.last_seq > taken_seq ? 0 : losses + (owner === null ? 0 : 1);
}

function effectsOf({
  status,
  usage,
  end,
}: Pick<AppendBatch, 'status' | 'usage' | 'end'>): Partial<InteractionRow> {
  return {
    ...(status && { status }),
    ...(usage && { usage }),
    ...(end && { status: end.status, error: end.error, completed_at: end.completed_at }),
  };
}
