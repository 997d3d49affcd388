import type { AuditEntry } from '../../../audit/audit-entry.js';
import { firstRecord as recordOne } from '../../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { AdoptedFile } from '../../../persistence/rows/start-rows.js';
import type { LeaseTerms } from '../../../persistence/rows/lease-rows.js';
import type { Clock } from '../../../kernel/clock.js';
import { mapInBatches } from '../../../kernel/async/batches.js';
import { KeyedMutex } from '../../../kernel/async/keyed-mutex.js';
import { DeletedUsage } from './deleted-usage.js';
import type { KeptUsage } from './deleted-usage.js';
import { begunState } from './interaction-state.js';
import type { InteractionHead, InteractionStart, StoreJournal } from './journal.js';
import type { StoredChat } from './stored-chat.js';
import type { StoredInteraction } from './stored-interaction.js';
import { MemoryWebhookOutbox } from '../memory-webhook-outbox.js';
import type { KeptWebhook } from '../memory-webhook-outbox.js';
import { toInteractionRow } from './stored-interaction.js';
import type { RowJournal } from './row-journal.js';
import { StoreIndex } from './store-index.js';

const CONCURRENCY = 16;

export interface CoreParts {
  readonly journal: StoreJournal;
  readonly clock: Clock;
  readonly index?: StoreIndex;
  readonly mutex?: KeyedMutex;
  /** Keeps the entries of the outbox. */
  readonly webhooks?: RowJournal<KeptWebhook>;
  /** Keeps the usage of deleted chats. */
  readonly deletedUsage?: RowJournal<KeptUsage>;
  /** Keeps the entry of a chat that a start creates. Never rejects: the start has taken place. */
  readonly audit?: (entry: AuditEntry) => Promise<void>;
}

/** Gives the files to the chat of a start that has taken place. */
export type AdoptFiles = (
  files: readonly AdoptedFile[],
  start: Pick<InteractionStart, 'tenant_id' | 'started_by' | 'chat_uid' | 'chat_id'>,
) => Promise<void>;

/**
 * The components that the stores share: the index, one writer at a time per chat, and the queue of
 * each chat.
 */
export class StoreCore {
  readonly journal: StoreJournal;
  readonly clock: Clock;
  readonly index: StoreIndex;
  readonly mutex: KeyedMutex;
  readonly webhooks: MemoryWebhookOutbox;
  readonly deletedUsage: DeletedUsage;
  readonly audit: CoreParts['audit'];
  adoptFiles: AdoptFiles = async () => {};

  constructor(parts: CoreParts) {
    const { journal, clock, index = new StoreIndex(), mutex = new KeyedMutex() } = parts;
    this.journal = journal;
    this.clock = clock;
    this.index = index;
    this.mutex = mutex;
    this.webhooks = new MemoryWebhookOutbox(index, parts.webhooks);
    this.deletedUsage = new DeletedUsage(parts.deletedUsage);
    this.audit = parts.audit;
  }

  /** Undefined if the interaction doesn't exist, or is deleted while the change waits. */
  async change<T>(
    interactionId: string,
    task: (interaction: StoredInteraction, chat: StoredChat) => Promise<T>,
  ): Promise<T | undefined> {
    const interaction = this.index.findInteraction(interactionId);
    if (!interaction) return undefined;
    const chat = this.index.findChat(interaction.known.chat_uid)!;
    return this.mutex.run(chat.key, () =>
      this.has(interaction) ? task(interaction, chat) : undefined,
    );
  }

  /**
   * Doesn't wait for writers. Undefined if the interaction doesn't exist, or is deleted meanwhile.
   */
  async read<T>(
    interaction: StoredInteraction | undefined,
    task: (interaction: StoredInteraction) => Promise<T>,
  ): Promise<T | undefined> {
    if (!interaction) return undefined;
    try {
      return await task(interaction);
    } catch (error) {
      if (!this.has(interaction)) return undefined;
      throw error;
    }
  }

  readRow(interaction: StoredInteraction | undefined): Promise<InteractionRow | undefined> {
    return this.read(interaction, (each) => each.readRow());
  }

  async readRows(interactions: readonly StoredInteraction[]): Promise<InteractionRow[]> {
    const rows = await this.readEach(interactions, (each) => each.readRow());
    return rows.filter((row) => row !== undefined);
  }

  /**
   * In order, with limited concurrency: more would only wait for the disk and for file descriptors.
   */
  readEach<T>(
    interactions: readonly (StoredInteraction | undefined)[],
    task: (interaction: StoredInteraction) => Promise<T>,
  ): Promise<(T | undefined)[]> {
    return mapInBatches(interactions, CONCURRENCY, (each) => this.read(each, task));
  }

  lend(interaction: StoredInteraction, { ttl_ms }: LeaseTerms): void {
    interaction.leaseUntil = this.clock.monotonic() + ttl_ms;
  }

  /** Begins the next interaction of a chat if none is active; returns its id. */
  promote(chat: StoredChat, at: string): Promise<string | undefined> {
    return this.mutex.run(chat.key, async () => {
      const { next, active } = chat;
      if (!next || active || this.index.findChat(chat.uid) !== chat) return undefined;
      const show = await this.writeBeginning(chat, next, at);
      show();
      return next.id;
    });
  }

  /**
   * Saves the beginning of the interaction after `ended`, whose end is saved but not shown yet. The
   * returned function shows it, and returns its id. If saving fails, the end remains valid:
   * `promote` or the next start of the process begins the next interaction.
   */
  async followUp(
    chat: StoredChat,
    ended: StoredInteraction,
    at: string,
  ): Promise<() => string | undefined> {
    const { next, active } = chat;
    if (!next || (active && active !== ended)) return () => undefined;
    try {
      const show = await this.writeBeginning(chat, next, at);
      return () => {
        show();
        return next.id;
      };
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      chat.journal.report(`${next.id} is next, but its beginning could not be written. ${cause}`);
      return () => undefined;
    }
  }

  /** Saves record 1 of a queued interaction. The returned function shows it. */
  async writeBeginning(chat: StoredChat, next: StoredInteraction, at: string): Promise<() => void> {
    const place = { parent_id: chat.parentFromQueue(next), branch_version: ++chat.branchVersion };
    const state = begunState(next.state, place);
    const first = firstRecord(await next.log.readHead(), state, at);
    const show = await next.write(state, { records: [first] });
    return () => {
      show();
      const superseded = chat.begin(next, { at });
      chat.journal.refresh(chat.uid, { chat: true, interactions: [next.id, ...superseded] });
    };
  }

  private has(interaction: StoredInteraction): boolean {
    return this.index.findInteraction(interaction.id) === interaction;
  }
}

export function firstRecord(head: InteractionHead, state: StoredInteraction['state'], at: string) {
  const row = toInteractionRow(head, state, null);
  return recordOne(row, { epoch: row.epoch, at });
}
