import type { QuotaExceeded, StartQuota } from '../../persistence/rows/start-rows.js';
import { addUsage, NO_USAGE } from '../../protocol/interaction.js';
import type { Usage } from '../../protocol/interaction.js';
import { UsageStore } from '../../quotas/usage-store.js';
import type { UsageQuery, UsageSum, UsedBytes } from '../../quotas/usage-store.js';
import type { MemoryFileCatalog } from './memory-file-catalog.js';
import { dailyUsage, merged } from './core/deleted-usage.js';
import type { StoreCore } from './core/store-core.js';
import type { StoreIndex } from './core/store-index.js';
import type { StoredChat } from './core/stored-chat.js';
import type { StoredInteraction } from './core/stored-interaction.js';

const FIELDS = { day: 'day', model: 'model', user: 'user_id' } as const;

function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export class MemoryUsageStore extends UsageStore {
  constructor(
    private readonly core: StoreCore,
    private readonly files: MemoryFileCatalog,
  ) {
    super();
  }

  async countTokens(tenantId: string, since: string): Promise<number> {
    const starts = this.index.starts.list(tenantId).filter(({ at }) => at >= since);
    return sum(
      starts.map(({ interaction_id, tokens }) => {
        return tokens ?? tokensOf(this.index.findInteraction(interaction_id));
      }),
    );
  }

  async countBytes(tenantId: string): Promise<UsedBytes> {
    const chats = this.chatsOf(tenantId);
    const logs = chats.flatMap(({ interactions }) => interactions.map(({ log }) => log.bytes));
    const own = chats.map(({ messages, row: { settings, metadata } }) => {
      return jsonBytes(messages) + jsonBytes(settings) + jsonBytes(metadata);
    });
    const files = this.files.countBytes(tenantId);
    return { total: sum(logs) + sum(own) + files, files };
  }

  async sumOfChat(chatUid: string): Promise<Usage> {
    const interactions = this.index.findChat(chatUid)?.interactions ?? [];
    return interactions.map(({ state }) => state.usage).reduce(addUsage, NO_USAGE);
  }

  async sumUsage({ tenant_id, by, since, until, limit }: UsageQuery): Promise<UsageSum[]> {
    const chats = tenant_id === undefined ? this.index.chats : this.chatsOf(tenant_id);
    const used = [...chats].flatMap(({ interactions }) => interactions.flatMap(dailyUsage));
    const wanted = [...used, ...this.core.deletedUsage.entries]
      .filter((one) => tenant_id === undefined || one.tenant_id === tenant_id)
      .filter(({ day }) => since <= day && day <= until);
    const sums = merged(wanted, (one) => JSON.stringify([one.tenant_id, one[FIELDS[by]]]));
    const rows = sums.map((one): UsageSum => {
      const { tenant_id: tenant, usage, unpriced_tokens } = one;
      const interactions = by === 'model' ? one.model_interactions : one.interactions;
      return { tenant_id: tenant, key: one[FIELDS[by]], interactions, usage, unpriced_tokens };
    });
    return rows.sort(by === 'day' ? compareDays : compareSums).slice(0, limit);
  }

  private chatsOf(tenantId: string): readonly StoredChat[] {
    return this.index.newestFirst(tenantId, 'created');
  }

  private get index(): StoreIndex {
    return this.core.index;
  }
}

function compareDays(a: UsageSum, b: UsageSum): number {
  return compareTexts(b.key, a.key) || compareSums(a, b);
}

/** The same order as in the query of a database. */
function compareSums(a: UsageSum, b: UsageSum): number {
  return (
    (b.usage.cost_usd ?? -1) - (a.usage.cost_usd ?? -1) ||
    bothTokens(b.usage) - bothTokens(a.usage) ||
    compareTexts(a.tenant_id, b.tenant_id) ||
    compareTexts(a.key, b.key)
  );
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function bothTokens({ input_tokens, output_tokens }: Usage): number {
  return input_tokens + output_tokens;
}

/**
 * Runs `start` unless it would exceed a quota. Starts of a tenant that are checked run one after
 * the other, each after it has its chat.
 */
export function withinQuota<T>(
  { index, mutex }: StoreCore,
  { tenant_id, quota }: { tenant_id: string; quota?: StartQuota | undefined },
  start: () => Promise<T>,
): Promise<T | QuotaExceeded> {
  if (!quota) return start();
  return mutex.run<T | QuotaExceeded>(
    `/${tenant_id}`,
    () => findExceeded(index, tenant_id, quota) ?? start(),
  );
}

function findExceeded(
  index: StoreIndex,
  tenantId: string,
  { runs, starts }: StartQuota,
): QuotaExceeded | undefined {
  if (runs !== undefined && countPlaces(index, tenantId) >= runs)
    return { outcome: 'quota_exceeded', quota: 'QUOTA_RUNS', oldest: null };
  if (!starts) return undefined;
  const times = index.starts.list(tenantId).map(({ at }) => at);
  const oldest = times
    .filter((at) => at > starts.since)
    .sort()
    .at(-starts.limit);
  return oldest === undefined
    ? undefined
    : { outcome: 'quota_exceeded', quota: 'QUOTA_STARTS_PER_MINUTE', oldest };
}

function countPlaces({ busyChats }: StoreIndex, tenantId: string): number {
  const chats = busyChats.filter(({ row }) => row.tenant_id === tenantId);
  return sum(chats.map(({ unfinished }) => unfinished.filter(takesPlace).length));
}

function takesPlace({ isQueued, state }: StoredInteraction): boolean {
  return isQueued || state.parked_signals === null || state.parked_signals !== state.signals;
}

function tokensOf(interaction: StoredInteraction | undefined): number {
  return interaction ? bothTokens(interaction.state.usage) : 0;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
