import { ChatArchive } from '../../persistence/chat-archive.js';
import type {
  ArchivedChat,
  ArchivedEnd,
  ArchivedFile,
  ArchivedInteraction,
  IncomingChat,
} from '../../persistence/chat-archive.js';
import type { WrappedKey } from '../../encryption/data-key-store.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RequestRow } from '../../persistence/rows/request-rows.js';
import { startedState } from './core/interaction-state.js';
import type { ChatJournal, InteractionStart } from './core/journal.js';
import type { StoreCore } from './core/store-core.js';
import { chatKey } from './core/chat-key.js';
import { StoredChat } from './core/stored-chat.js';
import { StoredInteraction } from './core/stored-interaction.js';
import type { MemoryFileCatalog } from './memory-file-catalog.js';

export class MemoryChatArchive extends ChatArchive {
  constructor(
    private readonly core: StoreCore,
    private readonly files: MemoryFileCatalog,
  ) {
    super();
  }

  async listInteractions(
    chatUid: string,
    { limit, after = '' }: { limit: number; after?: string },
  ): Promise<ArchivedInteraction[]> {
    const page = this.byId(chatUid).filter(({ id }) => id > after);
    const rows = await this.core.readEach(page.slice(0, limit), async (interaction) => {
      const begun = interaction.hasBegun;
      return { ...(await interaction.readRow()), begun };
    });
    return rows.filter((row) => row !== undefined);
  }

  async findLastInteractionId(chatUid: string): Promise<string | undefined> {
    return this.byId(chatUid).at(-1)?.id;
  }

  async receive(): Promise<IncomingChat> {
    return new IncomingInteractions(this.core, await this.core.journal.receive(), this.files);
  }

  private byId(chatUid: string): StoredInteraction[] {
    const interactions = this.core.index.findChat(chatUid)?.interactions ?? [];
    return interactions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** An import. Its interactions are written like any others, in a place that readers do not see. */
class IncomingInteractions implements IncomingChat {
  private readonly interactions: StoredInteraction[] = [];

  constructor(
    private readonly core: StoreCore,
    private readonly journal: ChatJournal,
    private readonly files: MemoryFileCatalog,
  ) {}

  async append(row: ArchivedInteraction, records: readonly LogRecord[]): Promise<void> {
    const known = this.interactions.at(-1);
    if (known?.id === row.id) return appendTo(known, records);
    const ordinal = this.interactions.length + 1;
    const start = toStart(row, ordinal);
    const state = startedState(null, { parent_id: row.parent_id, branch_version: ordinal });
    const log = await this.journal.create({ start, records: records.slice(0, 1) }, state);
    const interaction = new StoredInteraction(start, state, log);
    this.interactions.push(interaction);
    await appendTo(interaction, records.slice(1));
  }

  async end(row: ArchivedInteraction, { requests, added_messages }: ArchivedEnd): Promise<void> {
    const interaction = this.interactions.at(-1)!;
    for (const request of requests) await addRequest(interaction, request);
    const { status, epoch, parent_id, usage, error, completed_at, last_seq } = row;
    const { state } = interaction;
    const request_changes = state.request_changes + (requests.length > 0 ? 1 : 0);
    interaction.supersededAt = row.superseded_at;
    await interaction.commit(
      {
        ...{ ...state, status, epoch, parent_id, usage, error, completed_at, last_seq },
        ...{ request_changes, queue_rank: row.begun ? null : 0 },
      },
      { records: [], added_messages },
    );
  }

  commit(
    { messages = [], files = [], ...row }: ArchivedChat,
    data_key?: WrappedKey,
  ): Promise<boolean> {
    const { index, mutex } = this.core;
    const key = chatKey(row);
    return mutex.run(key, async () => {
      if (index.findChatByKey(key)) {
        await this.discard();
        return false;
      }
      const chat = new StoredChat(row, this.journal, { messages, ...(data_key && { data_key }) });
      for (const interaction of this.interactions) chat.add(interaction);
      const { head_interaction_id: head, updated_at } = row;
      if (head !== null) chat.mark(chat.marksFor(head, updated_at));
      await this.orDiscard(files, async () => {
        await this.files.save(files);
        await chat.save();
        await this.journal.enter(row.uid);
      });
      index.addChat(chat);
      this.files.enter(files);
      const interactions = this.interactions.map(({ id }) => id);
      this.journal.refresh(row.uid, { interactions, requests: true });
      return true;
    });
  }

  discard(): Promise<void> {
    return this.journal.discard();
  }

  private async orDiscard(
    files: readonly ArchivedFile[],
    task: () => Promise<void>,
  ): Promise<void> {
    try {
      await task();
    } catch (error) {
      await this.discard();
      for (const { id } of files) await this.files.remove(id);
      throw error;
    }
  }
}

async function appendTo(
  interaction: StoredInteraction,
  records: readonly LogRecord[],
): Promise<void> {
  const last = records.at(-1);
  if (last) await interaction.commit({ ...interaction.state, last_seq: last.seq }, { records });
}

async function addRequest(
  interaction: StoredInteraction,
  { settlement, settled_at, ...request }: RequestRow,
): Promise<void> {
  const { id, key, kind, agent_id, created_at, expires_at, event } = request;
  const settled = settlement && settled_at ? { id, settlement, settled_at } : undefined;
  const { state } = interaction;
  await interaction.commit(
    { ...state, request_changes: state.request_changes + (settled ? 2 : 1) },
    {
      records: [],
      requests: [{ id, key, kind, agent_id, created_at, expires_at, event }],
      ...(settled && { settled }),
    },
  );
}

function toStart(row: ArchivedInteraction, ordinal: number): InteractionStart {
  const { id, chat_uid, chat_id, tenant_id, started_by, created_at, agent, agent_id } = row;
  const { model, settings, edited_from, metadata } = row;
  return {
    ...{ id, chat_uid, chat_id, tenant_id, started_by, ordinal, created_at },
    ...{ agent, agent_id, model, settings, edited_from },
    ...{ idempotency: null, metadata, chat: null, imported: true },
  };
}
