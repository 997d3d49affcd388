import type { QuotaExceeded, StartQuota } from '../../persistence/rows/store-rows.js';
import { UsageStore } from '../../quotas/usage-store.js';
import type { UsedBytes } from '../../quotas/usage-store.js';
import type { MemoryFileCatalog } from './memory-file-catalog.js';
import type { StoreCore } from './core/store-core.js';
import type { StoreIndex } from './core/store-index.js';
import type { StoredInteraction } from './core/stored-interaction.js';

function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export class MemoryUsageStore extends UsageStore {
  constructor(
    private readonly index: StoreIndex,
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
    const chats = this.index.newestFirst(tenantId, 'created');
    const logs = chats.flatMap(({ interactions }) => interactions.map(({ log }) => log.bytes));
    const own = chats.map(({ messages, row: { settings, metadata } }) => {
      return jsonBytes(messages) + jsonBytes(settings) + jsonBytes(metadata);
    });
    const files = this.files.countBytes(tenantId);
    return { total: sum(logs) + sum(own) + files, files };
  }
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
  const { input_tokens = 0, output_tokens = 0 } = interaction?.state.usage ?? {};
  return input_tokens + output_tokens;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
