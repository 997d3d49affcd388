import { KeyedMutex } from '../../../kernel/async/keyed-mutex.js';
import { addTokens, addUsage } from '../../../protocol/interaction.js';
import type { Usage } from '../../../protocol/interaction.js';
import { USAGE_DAYS_KEPT } from '../../../quotas/usage-store.js';
import { NO_JOURNAL } from './row-journal.js';
import type { RowJournal } from './row-journal.js';
import type { StoredInteraction } from './stored-interaction.js';

const DAY_MS = 86_400_000;

/** The usage of those interactions of a tenant that have the same day, model and user. */
export interface DailyUsage {
  readonly tenant_id: string;
  readonly day: string;
  readonly model: string;
  readonly user_id: string;
  /** Each is counted once, at the model of its first turn. */
  readonly interactions: number;
  /** Number of interactions in which the model had a turn. */
  readonly model_interactions: number;
  readonly usage: Usage;
  readonly unpriced_tokens: number;
}

/** That of one day of a tenant. */
export interface KeptUsage {
  readonly id: string;
  readonly entries: readonly DailyUsage[];
}

/** The usage of the interactions of deleted chats. */
export class DeletedUsage {
  readonly #days = new Map<string, KeptUsage>();
  readonly #mutex = new KeyedMutex();

  constructor(private readonly journal: RowJournal<KeptUsage> = NO_JOURNAL) {}

  get entries(): DailyUsage[] {
    return [...this.#days.values()].flatMap(({ entries }) => entries);
  }

  load(rows: readonly KeptUsage[]): void {
    for (const { id, entries } of rows) this.#days.set(id, { id, entries: entries.map(completed) });
  }

  async add(interactions: readonly StoredInteraction[]): Promise<void> {
    const used = interactions.flatMap(dailyUsage);
    const ids = new Set(used.map(idOf));
    for (const id of ids) {
      const entries = [...(this.#days.get(id)?.entries ?? []), ...used.filter(isOf(id))];
      this.#days.set(id, { id, entries: merged(entries, keyOf) });
    }
    for (const id of ids) await this.#mutex.run(id, () => this.journal.save(this.#days.get(id)!));
  }

  async removeOld(now: Date): Promise<void> {
    const oldest = dayOf(new Date(now.getTime() - USAGE_DAYS_KEPT * DAY_MS).toISOString());
    for (const { id } of this.#days.values()) {
      if (id >= oldest) continue;
      await this.journal.erase(id);
      this.#days.delete(id);
    }
  }
}

/** Nothing for an imported interaction. */
export function dailyUsage({ known, state }: StoredInteraction): DailyUsage[] {
  if (known.imported) return [];
  const { tenant_id, created_at, model, started_by: user_id } = known;
  const of = { tenant_id, day: dayOf(created_at), user_id };
  const { usage, usage_by_model } = state;
  if (!usage_by_model) return [completed({ ...of, model, interactions: 1, usage })];
  return usage_by_model.map(({ model: name, unpriced_tokens, ...used }, index) => ({
    ...{ ...of, model: name, usage: used, unpriced_tokens },
    ...{ interactions: index === 0 ? 1 : 0, model_interactions: 1 },
  }));
}

type OfOneModel = Omit<DailyUsage, 'model_interactions' | 'unpriced_tokens'>;

/** Completes an entry of one model whose turns all had a price, or none of them. */
function completed(entry: OfOneModel & Partial<DailyUsage>): DailyUsage {
  const { input_tokens, output_tokens, cost_usd } = entry.usage;
  const unpriced_tokens = cost_usd === undefined ? addTokens(input_tokens, output_tokens) : 0;
  return { model_interactions: entry.interactions, unpriced_tokens, ...entry };
}

/** The sums of those that have the same key. */
export function merged(all: readonly DailyUsage[], key: (one: DailyUsage) => string): DailyUsage[] {
  const sums = new Map<string, DailyUsage>();
  for (const one of all) {
    const sum = sums.get(key(one));
    sums.set(key(one), sum ? added(sum, one) : one);
  }
  return [...sums.values()];
}

function added(sum: DailyUsage, one: DailyUsage): DailyUsage {
  return {
    ...sum,
    interactions: sum.interactions + one.interactions,
    model_interactions: sum.model_interactions + one.model_interactions,
    usage: addUsage(sum.usage, one.usage),
    unpriced_tokens: addTokens(sum.unpriced_tokens, one.unpriced_tokens),
  };
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}

/** Begins with the day. */
function idOf({ tenant_id, day }: DailyUsage): string {
  return `${day}.${tenant_id}`;
}

function isOf(id: string): (one: DailyUsage) => boolean {
  return (one) => idOf(one) === id;
}

function keyOf({ model, user_id }: DailyUsage): string {
  return JSON.stringify([model, user_id]);
}
