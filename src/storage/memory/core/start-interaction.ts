import { textsOf } from '../../../persistence/chat-texts.js';
import { sees } from '../../../persistence/viewer.js';
import { AppError } from '../../../kernel/app-error.js';
import { INTERRUPTED, newChatRow } from '../../../persistence/interaction-rules.js';
import type {
  IdempotencyKey,
  StartInteraction,
  StartOutcome,
  UsedKey,
} from '../../../persistence/rows/start-rows.js';
import { MAX_QUEUED } from '../../../persistence/rows/start-rows.js';
import { cancelledState, queuedState, startedState } from './interaction-state.js';
import type { FirstAppend, InteractionStart } from './journal.js';
import type { StoreCore } from './store-core.js';
import { firstRecord } from './store-core.js';
import { chatKey } from './chat-key.js';
import { withinQuota } from '../memory-usage-store.js';
import { StoredChat } from './stored-chat.js';
import { StoredInteraction, toInteractionRow } from './stored-interaction.js';

/**
 * The first append is the commit: chat, interaction and record 1 exist if and only if it was saved.
 */
export function startInteraction(
  core: StoreCore,
  request: StartInteraction,
): Promise<StartOutcome> {
  const { id } = request.interaction;
  const key = chatKey(request.chat);
  return core.mutex.run(key, async () => {
    const chat = core.index.findChatByKey(key);
    const refused = await refuse(chat, request);
    if (refused) return refused;
    if (core.index.findInteraction(id)) throw takenId(id);
    const { viewer, quota } = request;
    return withinQuota(core, { tenant_id: viewer.tenant_id, quota }, () =>
      chat?.isBusy ? enqueue(core, chat, request) : begin(core, chat, request),
    );
  });
}

/**
 * Checks that the viewer sees the chat, then the idempotency key, then the edited interaction, then
 * if the chat is busy.
 */
async function refuse(
  chat: StoredChat | undefined,
  request: StartInteraction,
): Promise<StartOutcome | undefined> {
  const { edited_from, on_conflict, idempotency } = request;
  if (!chat && edited_from !== undefined) return { outcome: 'unknown_edit' };
  if (!chat) return refuseOther(request, undefined);
  if (!sees(request.viewer, chat.row)) return { outcome: 'hidden' };
  const used = idempotency && (await findUsedKey(chat, idempotency));
  if (used) return used;
  const edited = edited_from === undefined ? undefined : chat.find(edited_from);
  if (edited_from !== undefined && !edited) return { outcome: 'unknown_edit' };
  if (edited?.isQueued) return { outcome: 'edits_queued' };
  const other = refuseOther(request, chat);
  if (other) return other;
  const holder = chat.active ?? chat.queued[0];
  if (!holder) return undefined;
  if (on_conflict === 'reject') return { outcome: 'busy', active_interaction_id: holder.id };
  return chat.queued.length >= MAX_QUEUED ? { outcome: 'queue_full' } : undefined;
}

/** A new chat gets the key that its texts are sealed with; an existing one has it. */
function refuseOther(
  { sealed_for, chat: { uid, data_key } }: StartInteraction,
  chat: StoredChat | undefined,
): StartOutcome | undefined {
  const isOther = sealed_for !== undefined && sealed_for !== (chat?.uid ?? uid);
  const hasOther = chat && data_key && chat.dataKey?.wrapped !== data_key.wrapped;
  return isOther || hasOther ? { outcome: 'other_chat', chat_uid: chat?.uid ?? null } : undefined;
}

export async function findUsedKey(
  chat: StoredChat,
  { key, fingerprint }: IdempotencyKey,
): Promise<UsedKey | undefined> {
  const seen = chat.findByIdempotencyKey(key);
  if (!seen) return undefined;
  if (seen.known.idempotency?.fingerprint !== fingerprint) return { outcome: 'key_reused' };
  return { outcome: 'repeated', interaction: await seen.readRow() };
}

async function begin(
  core: StoreCore,
  known: StoredChat | undefined,
  request: StartInteraction,
): Promise<StartOutcome> {
  const { id, user_message, created_at } = request.interaction;
  const { lease } = request;
  const chat = known ?? newChat(core, request);
  const start = newStart(request, chat, known ? null : request.chat);
  const place = { parent_id: chat.parentOf(request), branch_version: chat.branchVersion + 1 };
  const state = startedState(lease?.owner ?? null, place);
  const head = { start, user_message };
  const first = firstRecord(head, state, created_at);
  const interaction = await create(chat, { start, records: [first] }, state);
  chat.add(interaction);
  const texts = request.chat_texts ?? textsOf(user_message);
  const superseded = chat.begin(interaction, { at: created_at, texts });
  if (known) core.index.addInteraction(chat, interaction);
  else core.index.addChat(chat);
  if (lease) core.lend(interaction, lease);
  chat.journal.refresh(chat.uid, { chat: true, interactions: [id, ...superseded] });
  if (!known && request.audit) await core.audit?.(request.audit);
  await adopt(core, chat, request, start);
  const row = toInteractionRow(head, state, null);
  return { outcome: 'started', interaction: row, first, is_new_chat: !known };
}

/** The start has taken place: a row that can't be saved now is when the store is opened again. */
async function adopt(
  core: StoreCore,
  { journal }: StoredChat,
  { adopts }: StartInteraction,
  start: InteractionStart,
): Promise<void> {
  if (!adopts) return;
  await core
    .adoptFiles(adopts, start)
    .catch((error: unknown) =>
      journal.report(`A file of a message was not saved. ${String(error)}`),
    );
}

function newChat(core: StoreCore, { chat }: StartInteraction): StoredChat {
  return new StoredChat(newChatRow(chat), core.journal.chat(chat.uid), chat);
}

/**
 * The interrupted interaction is cancelled in a log of its own: both are saved before either is
 * shown.
 */
async function enqueue(
  core: StoreCore,
  chat: StoredChat,
  request: StartInteraction,
): Promise<StartOutcome> {
  const { user_id } = request.viewer;
  const { id, user_message } = request.interaction;
  const interrupts = request.on_conflict === 'interrupt';
  const interrupted = interrupts ? chat.active : undefined;
  const queued = { user_message, interrupts: interrupted?.id ?? null };
  const start = { ...newStart(request, chat, null), queued };
  const parent_id = request.edited_from === undefined ? null : chat.parentOf(request);
  const state = queuedState({ parent_id, queue_rank: nextRank(chat, interrupts) });
  const interaction = await create(chat, { start, records: [] }, state);
  const showCancel = await cancel(interrupted, user_id).catch(async (error: unknown) => {
    await interaction.log.remove();
    throw error;
  });
  showCancel?.();
  chat.add(interaction);
  core.index.addInteraction(chat, interaction);
  chat.journal.refresh(chat.uid, { interactions: [id] });
  await adopt(core, chat, request, start);
  const row = toInteractionRow({ start, user_message }, state, null);
  return { outcome: 'queued', interaction: row, interrupted: interrupted?.id ?? null };
}

async function create(
  chat: StoredChat,
  first: FirstAppend,
  state: StoredInteraction['state'],
): Promise<StoredInteraction> {
  const log = await chat.journal.create(first, state);
  return new StoredInteraction(first.start, state, log);
}

async function cancel(interaction: StoredInteraction | undefined, userId: string) {
  return interaction?.write(cancelledState(interaction.state, INTERRUPTED, userId));
}

/** In front of all others if it interrupts, else behind them. */
function nextRank(chat: StoredChat, interrupts: boolean): number {
  const ranks = chat.queued.map(({ state }) => state.queue_rank ?? 0);
  return interrupts ? Math.min(1, ...ranks) - 1 : Math.max(0, ...ranks) + 1;
}

function newStart(
  request: StartInteraction,
  { nextOrdinal: ordinal, uid: chat_uid }: StoredChat,
  chat: InteractionStart['chat'],
): InteractionStart {
  const { interaction, viewer, idempotency = null, edited_from = null } = request;
  const { tenant_id, user_id: started_by } = viewer;
  const { id, chat_id, agent, agent_id, model, settings, created_at, metadata } = interaction;
  return {
    ...{ id, chat_uid, chat_id, tenant_id, started_by, ordinal, created_at },
    ...{ agent, agent_id, model },
    ...{ settings, edited_from, idempotency, metadata, chat },
    ...(request.chat_texts && { chat_texts: request.chat_texts }),
    ...(request.adopts && { adopts: request.adopts.map((file) => file.id) }),
  };
}

function takenId(id: string): AppError {
  return new AppError('conflict', 'interaction_exists', `There is an interaction ${id} already.`);
}
