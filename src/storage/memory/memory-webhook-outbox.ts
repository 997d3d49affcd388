import type { ClaimedWebhook, NewWebhook } from '../../persistence/rows/webhook-rows.js';
import { completionSeq } from '../../persistence/rows/webhook-rows.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.js';
import type { WebhookClaim, WebhookCounts } from '../../webhooks/webhook-outbox.js';
import { NO_JOURNAL } from './core/row-journal.js';
import type { RowJournal } from './core/row-journal.js';
import { compareKeys } from './core/store-index.js';
import type { StoreIndex } from './core/store-index.js';

/** An entry as it is saved. */
export interface KeptWebhook extends NewWebhook {
  readonly failed_at?: string;
}

interface Entry extends KeptWebhook {
  readonly attempts: number;
  readonly next_attempt_at: string;
}

/**
 * All entries in memory, saved without their attempts: after a restart each is due, as the process
 * that had claimed it is dead.
 */
export class MemoryWebhookOutbox extends WebhookOutbox {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly index: StoreIndex,
    private readonly journal: RowJournal<KeptWebhook> = NO_JOURNAL,
  ) {
    super();
  }

  /**
   * Saves entries before the append that they are about; the returned function shows them, after
   * it. Those of an append that fails are ignored by `load`.
   */
  async prepare(webhooks: readonly NewWebhook[]): Promise<() => void> {
    await Promise.all(webhooks.map((webhook) => this.journal.save(webhook)));
    return () => {
      for (const webhook of webhooks) this.add(webhook);
    };
  }

  /** Takes up saved entries, except those whose append was never written, or is deleted. */
  async load(rows: readonly KeptWebhook[]): Promise<void> {
    for (const row of rows) {
      if (this.isTrue(row)) this.add(row);
      else await this.journal.erase(row.id);
    }
  }

  async claim({ at, until, limit }: WebhookClaim): Promise<ClaimedWebhook[]> {
    for (const { id, interaction_id } of this.entries.values())
      if (!this.index.findInteraction(interaction_id)) await this.remove(id);
    return this.findDue(at, limit).map((entry) => {
      const claimed = { ...entry, attempts: entry.attempts + 1, next_attempt_at: until };
      this.entries.set(entry.id, claimed);
      const { id, type, interaction_id, created_at, attempts } = claimed;
      return { id, type, interaction_id, created_at, attempts };
    });
  }

  async remove(id: string): Promise<void> {
    await this.journal.erase(id);
    this.entries.delete(id);
  }

  async postpone(claimed: ClaimedWebhook, next: string): Promise<void> {
    const entry = this.findClaimed(claimed);
    if (entry) this.entries.set(entry.id, { ...entry, next_attempt_at: next });
  }

  async giveUp(claimed: ClaimedWebhook, failed_at: string): Promise<boolean> {
    const entry = this.findClaimed(claimed);
    if (!entry) return false;
    const { id, type, interaction_id, created_at } = entry;
    await this.journal.save({ id, type, interaction_id, created_at, failed_at });
    this.entries.set(id, { ...entry, failed_at });
    return true;
  }

  async trim({ failed_before, max }: { failed_before: string; max: number }): Promise<number> {
    for (const { id, failed_at } of this.entries.values())
      if (failed_at !== undefined && failed_at < failed_before) await this.remove(id);
    const all = [...this.entries.values()].sort(compareKeys);
    const oldest = all.slice(0, Math.max(0, all.length - max));
    for (const { id } of oldest) await this.remove(id);
    return oldest.length;
  }

  async count(): Promise<WebhookCounts> {
    const waiting = this.waiting.length;
    return { waiting, failed: this.entries.size - waiting };
  }

  /** The first ones, without sorting all: a claim is for a few, of up to some thousands. */
  private findDue(at: string, limit: number): Entry[] {
    const first: Entry[] = [];
    for (const entry of this.waiting) {
      const last = first.length < limit ? undefined : first.at(-1);
      if (entry.next_attempt_at > at || (last && compareTimes(entry, last) >= 0)) continue;
      first.push(entry);
      first.sort(compareTimes).splice(limit);
    }
    return first;
  }

  private get waiting(): Entry[] {
    return [...this.entries.values()].filter(({ failed_at }) => failed_at === undefined);
  }

  private add(webhook: KeptWebhook): void {
    if (this.entries.has(webhook.id)) return;
    this.entries.set(webhook.id, { ...webhook, attempts: 0, next_attempt_at: webhook.created_at });
  }

  private findClaimed({ id, attempts }: ClaimedWebhook): Entry | undefined {
    const entry = this.entries.get(id);
    return entry?.attempts === attempts && entry.failed_at === undefined ? entry : undefined;
  }

  private isTrue({ id, type, interaction_id }: NewWebhook): boolean {
    if (type === 'request_opened') return this.index.findByRequest(id) !== undefined;
    const interaction = this.index.findInteraction(interaction_id);
    return (
      interaction !== undefined &&
      interaction.hasEnded &&
      completionSeq(id) <= interaction.state.last_seq
    );
  }
}

function compareTimes(a: Entry, b: Entry): number {
  const [left, right] = [a.next_attempt_at, b.next_attempt_at];
  if (left !== right) return left < right ? -1 : 1;
  return compareKeys(a, b);
}
