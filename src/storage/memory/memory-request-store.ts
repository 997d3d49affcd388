import { RequestStore } from '../../persistence/request.store.js';
import type {
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../persistence/rows/request-rows.js';
import { settledState } from './interaction-state.js';
import type { StoreCore } from './store-core.js';
import type { SortKey } from './store-index.js';
import { compareKeys } from './store-index.js';
import type { StoredChat } from './stored-chat.js';
import type { StoredInteraction } from './stored-interaction.js';

/**
 * A request is in the append that created it; its settlement is in an append of its own, with the
 * signal.
 */
export class MemoryRequestStore extends RequestStore {
  constructor(private readonly core: StoreCore) {
    super();
  }

  async settleRequest(settle: SettleRequest): Promise<SettleOutcome> {
    const owner = this.core.index.findByRequest(settle.request_id);
    const outcome =
      owner && (await this.core.change(owner.id, (each, chat) => settleOne(each, chat, settle)));
    return outcome ?? { outcome: 'unknown' };
  }

  findRequest(id: string): Promise<RequestRow | undefined> {
    return this.core.read(this.core.index.findByRequest(id), (owner) => findRow(owner, id));
  }

  async listRequests({ limit, after, status, ...scope }: RequestPage): Promise<RequestRow[]> {
    const { busyChats, newestFirst } = this.core.index;
    const isWanted = (row: RequestRow) =>
      (!status || row.status === status) && (!after || compareKeys(row, after) > 0);
    const isPending = status === 'pending';
    const all = this.inScope(scope) ?? (isPending ? busyChats : newestFirst).flatMap(partsOf);
    if (isPending) {
      const pending = all.flatMap(({ pendingRequests }) => pendingRequests.filter(isWanted));
      return pending.sort(compareKeys).slice(0, limit);
    }
    // One log after the other, so that at most one page and the requests of one log are in memory.
    let page: RequestRow[] = [];
    for (const interaction of all) {
      if (interaction.state.request_changes === 0) continue;
      const rows = (await this.core.read(interaction, (each) => each.readRequests())) ?? [];
      const wanted = rows.filter(isWanted);
      if (wanted.length > 0) page = [...page, ...wanted].sort(compareKeys).slice(0, limit);
    }
    return page;
  }

  async listExpiredRequests(at: string, limit: number): Promise<RequestRow[]> {
    const unfinished = this.core.index.busyChats.flatMap((chat) => chat.unfinished);
    const pending = unfinished.flatMap(({ pendingRequests }) => pendingRequests);
    return pending
      .filter((row) => isOver(row, at))
      .sort((a, b) => compareKeys(expiryOf(a), expiryOf(b)))
      .slice(0, limit);
  }

  /** Undefined if the scope is unlimited. */
  private inScope({
    chat_id,
    interaction_id,
  }: Pick<RequestPage, 'chat_id' | 'interaction_id'>): readonly StoredInteraction[] | undefined {
    const { index } = this.core;
    if (interaction_id !== undefined) {
      const interaction = index.findInteraction(interaction_id);
      const isThere =
        interaction && (chat_id ?? interaction.known.chat_id) === interaction.known.chat_id;
      return isThere ? [interaction] : [];
    }
    return chat_id === undefined ? undefined : (index.findChat(chat_id)?.interactions ?? []);
  }
}

async function settleOne(
  interaction: StoredInteraction,
  chat: StoredChat,
  { request_id, settlement, at, accept_expired }: SettleRequest,
): Promise<SettleOutcome> {
  const { state } = interaction;
  const row = await findRow(interaction, request_id);
  if (row?.kind !== settlement.kind) return { outcome: 'unknown' };
  if (row.status !== 'pending' || state.cancel_reason !== null)
    return { outcome: 'settled_before' };
  const isLate = isOver(row, at) && !accept_expired;
  if (isLate && settlement.by !== 'timeout') return { outcome: 'expired' };
  const settled = { id: request_id, settlement, settled_at: at };
  await interaction.commit(settledState(state), { records: [], settled });
  chat.journal.refresh(chat.id, { requests: true });
  return { outcome: 'settled', interaction: await interaction.readRow() };
}

async function findRow(owner: StoredInteraction, id: string): Promise<RequestRow | undefined> {
  return (await owner.readRequests()).find((row) => row.id === id);
}

function partsOf({ interactions }: StoredChat): readonly StoredInteraction[] {
  return interactions;
}

function isOver({ expires_at }: RequestRow, at: string): boolean {
  return expires_at !== null && at >= expires_at;
}

function expiryOf({ id, expires_at }: RequestRow): SortKey {
  return { created_at: expires_at ?? '', id };
}
