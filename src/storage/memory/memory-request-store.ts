import { RequestStore } from '../../persistence/request.store.js';
import type {
  PendingCount,
  RequestPage,
  RequestRow,
  SettleOutcome,
  SettleRequest,
} from '../../persistence/rows/request-rows.js';
import { settledState } from './core/interaction-state.js';
import type { StoreCore } from './core/store-core.js';
import type { RequestPlace, SortKey } from './core/store-index.js';
import { compareKeys, firstAfter, placesOf } from './core/store-index.js';
import type { AnyViewer } from '../../persistence/viewer.js';
import type { StoredChat } from './core/stored-chat.js';
import type { StoredInteraction } from './core/stored-interaction.js';

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

  findRequest(id: string, viewer: AnyViewer): Promise<RequestRow | undefined> {
    const { index } = this.core;
    return this.core.read(index.seen(index.findByRequest(id), viewer), (owner) =>
      findRow(owner, id),
    );
  }

  async listRequests({
    viewer,
    limit,
    bytes,
    after,
    status,
    ...scope
  }: RequestPage): Promise<RequestRow[]> {
    const page: RequestRow[] = [];
    let left = bytes ?? Infinity;
    let last: StoredInteraction | undefined;
    let rows: readonly RequestRow[] = [];
    for (const { id, interaction } of this.placesIn({ status, ...scope }, after)) {
      if (page.length >= limit || left < 0) return page;
      if (!this.core.index.seen(interaction, viewer)) continue;
      if (status && interaction.statusOfRequest(id) !== status) continue;
      if (interaction !== last || !interaction.hasEnded)
        rows = (await this.core.read(interaction, (each) => each.readRequests())) ?? [];
      last = interaction;
      const row = rows.find((each) => each.id === id);
      if (!row || (status && row.status !== status)) continue;
      left -= bytesOf(row);
      page.push(row);
    }
    return page;
  }

  async listExpiredRequests(at: string, limit: number): Promise<RequestRow[]> {
    return this.pending()
      .filter((row) => isOver(row, at))
      .sort((a, b) => compareKeys(expiryOf(a), expiryOf(b)))
      .slice(0, limit);
  }

  async countPendingRequests(limit: number): Promise<PendingCount[]> {
    const counts = new Map<string, PendingCount>();
    for (const { kind, created_at } of this.pending().slice(0, limit)) {
      const { count, oldest } = counts.get(kind) ?? { count: 0, oldest: created_at };
      const older = created_at < oldest ? created_at : oldest;
      counts.set(kind, { kind, count: count + 1, oldest: older });
    }
    return [...counts.values()];
  }

  private pending(): RequestRow[] {
    const unfinished = this.core.index.busyChats.flatMap((chat) => chat.unfinished);
    return unfinished.flatMap(({ pendingRequests }) => pendingRequests);
  }

  /** Oldest first, after `after`. */
  private placesIn(
    scope: Pick<RequestPage, 'status' | 'chat_uid' | 'interaction_id'>,
    after: SortKey | undefined,
  ): readonly RequestPlace[] {
    const owners = this.inScope(scope);
    const all = owners?.flatMap(placesOf).sort(compareKeys) ?? this.core.index.requestsByAge;
    return after ? all.slice(firstAfter(all, after)) : all;
  }

  /**
   * Undefined if the scope is unlimited. Only interactions that have not ended have pending ones.
   */
  private inScope({
    status,
    chat_uid,
    interaction_id,
  }: Pick<RequestPage, 'status' | 'chat_uid' | 'interaction_id'>):
    readonly StoredInteraction[] | undefined {
    const { index } = this.core;
    if (interaction_id === undefined && chat_uid === undefined)
      return status === 'pending' ? index.busyChats.flatMap((chat) => chat.unfinished) : undefined;
    if (interaction_id === undefined) return index.findChat(chat_uid ?? '')?.interactions ?? [];
    const interaction = index.findInteraction(interaction_id);
    const isThere =
      interaction && (chat_uid ?? interaction.known.chat_uid) === interaction.known.chat_uid;
    return isThere ? [interaction] : [];
  }
}

async function settleOne(
  interaction: StoredInteraction,
  chat: StoredChat,
  { request_id, tenant_id, settlement, at, accept_expired }: SettleRequest,
): Promise<SettleOutcome> {
  const { state } = interaction;
  const row = await findRow(interaction, request_id);
  const isThere = row?.kind === settlement.kind && row.tenant_id === tenant_id;
  if (!isThere) return { outcome: 'unknown' };
  if (row.status !== 'pending' || state.cancel_reason !== null)
    return { outcome: 'settled_before' };
  const isLate = isOver(row, at) && !accept_expired;
  if (isLate && settlement.cause !== 'timeout') return { outcome: 'expired' };
  const settled = { id: request_id, settlement, settled_at: at };
  await interaction.commit(settledState(state), { records: [], settled });
  chat.journal.refresh(chat.uid, { requests: true });
  return { outcome: 'settled', interaction: await interaction.readRow() };
}

async function findRow(owner: StoredInteraction, id: string): Promise<RequestRow | undefined> {
  return (await owner.readRequests()).find((row) => row.id === id);
}

/** Size in bytes of the fields that may be long. */
function bytesOf({ event, settlement }: RequestRow): number {
  return Buffer.byteLength(JSON.stringify([event, settlement]));
}

function isOver({ expires_at }: RequestRow, at: string): boolean {
  return expires_at !== null && at >= expires_at;
}

function expiryOf({ id, expires_at }: RequestRow): SortKey {
  return { created_at: expires_at ?? '', id };
}
