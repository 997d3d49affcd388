import type { ChatStore } from '../../persistence/chat.store.js';
import { InteractionStore, messagesOf } from '../../persistence/interaction.store.js';
import type {
  FinalState,
  InteractionListPage,
  RunListPage,
} from '../../persistence/interaction.store.js';
import type { DataKey } from '../../encryption/data-key.js';
import { BoundedMap } from '../../kernel/bounded-map.js';
import { startedBody } from '../../persistence/rows/log-record.js';
import type { InteractionKey, InteractionRow } from '../../persistence/rows/interaction-row.js';
import type {
  IdempotencyKey,
  QueuedChange,
  QueuedOutcome,
  RetryInteraction,
  RetryOutcome,
  StartInteraction,
  StartOutcome,
  UsedKey,
} from '../../persistence/rows/start-rows.js';
import type { NewChat } from '../../persistence/rows/chat-rows.js';
import type { AnyViewer, Viewer } from '../../persistence/viewer.js';
import type { Message } from '../../protocol/message.js';
import type { ChatKeys } from './chat-keys.js';
import { sealFile } from './files/encrypted-file-catalog.js';
import { openEach } from './open-each.js';
import { keyIdOf, sealedBytes } from './sealed/sealed-fields.js';
import {
  keysOfInteraction,
  messagesLength,
  openInteraction,
  openMessages,
  sealEdited,
  sealReason,
  sealStart,
  sealTexts,
  withoutTexts,
} from './sealed/sealed-interaction.js';

/** Attempts of a start whose chat is created or deleted meanwhile. */
const ATTEMPTS = 5;
/** Chats whose uids are kept in memory. */
const CACHE_SIZE = 20_000;

/** The key to seal a start with, and the chat that it is of. */
interface Target {
  readonly key: DataKey;
  readonly chat: NewChat;
  readonly sealed_for: string;
}

/** Interactions in another store, encrypted. */
export class EncryptedInteractionStore extends InteractionStore {
  /** By tenant and id. A guess: the store refuses a start that is sealed for another chat. */
  private readonly uids = new BoundedMap<string, string>(CACHE_SIZE);

  constructor(
    private readonly inner: InteractionStore,
    private readonly keys: ChatKeys,
    private readonly chats: Pick<ChatStore, 'findChat'>,
  ) {
    super();
  }

  async startInteraction(start: StartInteraction): Promise<StartOutcome> {
    const name = `${start.chat.tenant_id}/${start.chat.id}`;
    let uid = this.uids.get(name);
    for (let attempt = 1; ; attempt++) {
      const target = await this.targetOf(start.chat, uid);
      const { key, chat, sealed_for } = target;
      const interaction = sealStart(key, start.interaction);
      const { idempotency, adopts } = start;
      const outcome = await this.inner.startInteraction({
        ...start,
        ...{ chat, interaction, sealed_for },
        ...(idempotency && { idempotency: withMac(key, idempotency) }),
        ...(adopts && { adopts: adopts.map((file) => sealFile(key, file)) }),
        chat_texts: sealTexts(key, start.interaction.user_message),
      });
      if (outcome.outcome === 'other_chat' && attempt < ATTEMPTS)
        uid = outcome.chat_uid ?? undefined;
      else {
        if (outcome.outcome === 'started' || outcome.outcome === 'queued') {
          this.uids.set(name, sealed_for);
          this.keys.data.remember(key);
        }
        return this.openStart(start, await this.withSavedKey(start, outcome));
      }
    }
  }

  async retryInteraction(retry: RetryInteraction): Promise<RetryOutcome | undefined> {
    const outcome = await this.inner.retryInteraction(retry);
    if (outcome?.outcome !== 'retried') return outcome;
    return { ...outcome, interaction: await this.openOne(outcome.interaction) };
  }

  async findUsedKey(
    chatId: string,
    key: IdempotencyKey,
    viewer: Viewer,
  ): Promise<UsedKey | undefined> {
    const used = await this.findMacOf(chatId, key, viewer);
    if (used?.outcome !== 'repeated') return used;
    return { ...used, interaction: await this.openOne(used.interaction) };
  }

  async findInteraction(id: string, viewer: AnyViewer): Promise<InteractionRow | undefined> {
    return this.openFound(await this.inner.findInteraction(id, viewer));
  }

  async findInteractionOfAgent(
    agentId: string,
    viewer: AnyViewer,
  ): Promise<InteractionRow | undefined> {
    return this.openFound(await this.inner.findInteractionOfAgent(agentId, viewer));
  }

  async findActiveInteraction(chatUid: string): Promise<InteractionRow | undefined> {
    return this.openFound(await this.inner.findActiveInteraction(chatUid));
  }

  async listUnfinished(chatUid: string): Promise<InteractionRow[]> {
    return this.openList(await this.inner.listUnfinished(chatUid));
  }

  promoteQueued(at: string, chatUid?: string): Promise<string[]> {
    return this.inner.promoteQueued(at, chatUid);
  }

  async listInteractions(page: InteractionListPage): Promise<InteractionRow[]> {
    return this.openList(await this.inner.listInteractions(sealedPage(page)));
  }

  listBegun(chatUid: string, limit: number, after?: string): Promise<string[]> {
    return this.inner.listBegun(chatUid, limit, after);
  }

  findLastBegun(chatUid: string): Promise<Pick<InteractionRow, 'id' | 'last_seq'> | undefined> {
    return this.inner.findLastBegun(chatUid);
  }

  async listRuns(page: RunListPage): Promise<InteractionRow[]> {
    return this.openList(await this.inner.listRuns(sealedPage(page)));
  }

  listRunIds(page: Omit<RunListPage, 'bytes'>): Promise<string[]> {
    return this.inner.listRunIds(page);
  }

  async getPreviousState(interactionId: string): Promise<Message[]> {
    return this.openState(await this.inner.getPreviousState(interactionId));
  }

  async findFinalState(interactionId: string, bytes: number): Promise<FinalState | undefined> {
    const state = await this.inner.findFinalState(interactionId, sealedBytes(bytes));
    if (!state) return undefined;
    const sealed = messagesOf(state);
    const keys = await this.keys.load(sealed.map(keyIdOf));
    const parts = state.parts.map((part) => ({
      ...part,
      messages: openMessages(keys, part.messages),
    }));
    return { parts, bytes: messagesLength(sealed) };
  }

  hasFinalState(interactionId: string, bytes: number): Promise<boolean> {
    return this.inner.hasFinalState(interactionId, sealedBytes(bytes));
  }

  async findAddedMessages(interactionIds: readonly string[]): Promise<Map<string, Message[]>> {
    const added = await this.inner.findAddedMessages(interactionIds);
    const opened = new Map<string, Message[]>();
    for (const [id, messages] of added) opened.set(id, await this.openState(messages));
    return opened;
  }

  async changeQueued(interaction: InteractionKey, change: QueuedChange): Promise<QueuedOutcome> {
    const { id } = interaction;
    const key = await this.keys.ofInteraction(id);
    if (!key) return { outcome: 'not_queued' };
    const text = change.text && { text: sealEdited(key, id, change.text) };
    const outcome = await this.inner.changeQueued(interaction, { ...change, ...text });
    if (outcome.outcome !== 'changed') return outcome;
    return { ...outcome, interaction: await this.openOne(outcome.interaction) };
  }

  async requestCancel(
    interaction: InteractionKey,
    reason: string,
    userId?: string,
  ): Promise<InteractionRow | undefined> {
    const { id } = interaction;
    const key = await this.keys.ofInteraction(id);
    if (!key) return undefined;
    const sealed = sealReason(key, id, reason);
    const row = await this.inner.requestCancel(interaction, sealed, userId);
    return row && (await this.openList([row]))[0];
  }

  /** @param uid of the chat with the id, if it is thought to be there */
  private async targetOf(chat: NewChat, uid: string | undefined): Promise<Target> {
    const known = uid === undefined ? undefined : await this.keys.data.ofChat(uid);
    if (known) return { key: known, chat, sealed_for: known.id };
    const { key, wrapped: data_key } = this.keys.data.forNewChat(chat);
    return { key, chat: { ...chat, data_key }, sealed_for: chat.uid };
  }

  /** A start that was sealed for another chat than that of the id has another fingerprint. */
  private async withSavedKey(
    { chat, idempotency, viewer }: StartInteraction,
    outcome: StartOutcome,
  ): Promise<StartOutcome> {
    if (outcome.outcome !== 'key_reused' || !idempotency) return outcome;
    return (await this.findMacOf(chat.id, idempotency, viewer)) ?? outcome;
  }

  /** A fingerprint that was saved before encryption was turned on is there as it is. */
  private async findMacOf(
    chatId: string,
    key: IdempotencyKey,
    viewer: Viewer,
  ): Promise<UsedKey | undefined> {
    const plain = await this.inner.findUsedKey(chatId, key, viewer);
    if (plain?.outcome !== 'key_reused') return plain;
    const chat = await this.chats.findChat(chatId, viewer);
    const dataKey = chat && (await this.keys.data.ofChat(chat.uid));
    return dataKey ? this.inner.findUsedKey(chatId, withMac(dataKey, key), viewer) : plain;
  }

  private async openStart(start: StartInteraction, outcome: StartOutcome): Promise<StartOutcome> {
    switch (outcome.outcome) {
      case 'started': {
        const interaction = withPlain(outcome.interaction, start);
        this.keys.note(interaction);
        const first = { ...outcome.first, body: startedBody(interaction), hidden: null };
        return { ...outcome, interaction, first };
      }
      case 'queued': {
        const interaction = withPlain(outcome.interaction, start);
        this.keys.note(interaction);
        return { ...outcome, interaction };
      }
      case 'repeated':
        return { ...outcome, interaction: await this.openOne(outcome.interaction) };
      case 'busy':
      case 'edits_queued':
      case 'hidden':
      case 'key_reused':
      case 'other_chat':
      case 'queue_full':
      case 'quota_exceeded':
      case 'unknown_edit':
        return outcome;
    }
  }

  private openList(rows: readonly InteractionRow[]): Promise<InteractionRow[]> {
    return openEach(rows, { open: (some) => openInteractions(this.keys, some), withoutTexts });
  }

  private async openFound(row: InteractionRow | undefined): Promise<InteractionRow | undefined> {
    return row && this.openOne(row);
  }

  private async openOne(row: InteractionRow): Promise<InteractionRow> {
    return openInteraction(await this.keys.load(keysOfInteraction(row)), row);
  }

  private async openState(messages: readonly Message[]): Promise<Message[]> {
    return openMessages(await this.keys.load(messages.map(keyIdOf)), messages);
  }
}

export async function openInteractions<R extends InteractionRow>(
  keys: ChatKeys,
  rows: readonly R[],
): Promise<R[]> {
  const loaded = await keys.load(rows.flatMap(keysOfInteraction));
  return rows.map((row) => openInteraction(loaded, row));
}

function sealedPage<P extends { readonly bytes?: number }>(page: P): P {
  const { bytes } = page;
  return bytes === undefined ? page : { ...page, bytes: sealedBytes(bytes) };
}

function withMac(key: DataKey, { fingerprint, ...rest }: IdempotencyKey): IdempotencyKey {
  return { ...rest, fingerprint: key.mac(fingerprint) };
}

function withPlain(row: InteractionRow, { interaction }: StartInteraction): InteractionRow {
  const { user_message, settings, metadata } = interaction;
  return { ...row, user_message, settings, metadata };
}
