import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../../kernel/disk/missing-path.js';
import { textsOf } from '../../../persistence/chat-texts.js';
import { INTERRUPTED, newChatRow } from '../../../persistence/interaction-rules.js';
import type { ChatRow, NewChat } from '../../../persistence/rows/chat-rows.js';
import { cancelledState } from '../../memory/core/interaction-state.js';
import type { ChatSnapshot } from '../../memory/core/journal.js';
import type { StoreCore } from '../../memory/core/store-core.js';
import { StoredChat } from '../../memory/core/stored-chat.js';
import type { StoredInteraction } from '../../memory/core/stored-interaction.js';
import type { ChatDirectory } from '../log/chat-directory.js';
import { LOG_SUFFIX } from '../log/chat-directory.js';
import { TEMPORARY_SUFFIX } from '../durable-files.js';
import type { FileJournal } from './file-journal.js';
import { loadLog } from '../log/load-log.js';
import {
  collectRequests,
  isProjected,
  readChatFile,
  readRequestsFile,
  writeChatFile,
  writeProjection,
  writeRequestsFile,
} from './chat-files.js';
import type { ReportProblem } from '../report-problem.js';

/**
 * Loads one chat as the last process left it. The logs are the source of truth: a start counts even
 * if chat.json was not written; a start whose log was not written completely does not count.
 * Undefined if the folder contains no chat.
 */
export async function loadChat(
  journal: FileJournal,
  directory: ChatDirectory,
  report: ReportProblem,
): Promise<StoredChat | undefined> {
  const interactions = await loadInteractions(directory, report);
  const saved = await readSaved(directory, report);
  const made = saved ? undefined : await rebuildChat(interactions[0]);
  const row = saved ? toRow(saved) : made && newChatRow(made);
  if (!row) return undefined;
  const chat = new StoredChat(row, journal.open(directory), saved ?? made);
  for (const interaction of interactions) chat.add(interaction);
  const isStale = await catchUp(chat, saved);
  if (isStale) await writeChatFile(directory, chat.snapshot());
  await loadRequests(chat, directory);
  for (const interaction of interactions)
    if (!isProjected(directory, interaction)) await writeProjection(directory, interaction);
  return chat;
}

/** Completes changes that affect two logs if the process had written only one. */
export async function finishWrites(core: StoreCore, chat: StoredChat): Promise<void> {
  const { active } = chat;
  for (const { log } of chat.queued) {
    if (!active || active.state.cancel_reason !== null) break;
    const { start } = await log.readHead();
    if (start.queued?.interrupts === active.id)
      await active.commit(cancelledState(active.state, INTERRUPTED, start.started_by));
  }
  if (!chat.next || active) return;
  const ends = chat.interactions.flatMap(({ state }) => state.completed_at ?? []);
  await core.promote(chat, ends.sort().at(-1) ?? chat.next.known.created_at);
}

/** In the order of their requests. */
async function loadInteractions(
  directory: ChatDirectory,
  report: ReportProblem,
): Promise<StoredInteraction[]> {
  const found: StoredInteraction[] = [];
  for (const name of await readdir(directory.interactions).catch(ifMissing([]))) {
    if (name.endsWith(TEMPORARY_SUFFIX)) await rm(join(directory.interactions, name));
    if (!name.endsWith(LOG_SUFFIX)) continue;
    const interaction = await loadLog(directory, name.slice(0, -LOG_SUFFIX.length), report);
    if (interaction) found.push(interaction);
  }
  return found.sort((a, b) => a.known.ordinal - b.known.ordinal);
}

async function readSaved(
  directory: ChatDirectory,
  report: ReportProblem,
): Promise<ChatSnapshot | undefined> {
  const { chatFile } = directory;
  await rm(`${chatFile}${TEMPORARY_SUFFIX}`, { force: true });
  const saved = await readChatFile(directory);
  if (saved !== 'damaged') return saved;
  const aside = `${chatFile}.damaged`;
  await rename(chatFile, aside);
  report({ path: chatFile, message: `It was damaged and is rebuilt; the old one is ${aside}.` });
  return undefined;
}

function toRow({
  branch_version: _version,
  superseded: _superseded,
  data_key: _key,
  messages: _messages,
  ...row
}: ChatSnapshot): ChatRow {
  return row;
}

/** The chat of the start that created it, or from the data in another start. */
async function rebuildChat(first: StoredInteraction | undefined): Promise<NewChat | undefined> {
  if (!first) return undefined;
  const { start } = await first.log.readHead();
  const { chat, chat_uid: uid, chat_id: id, tenant_id, started_by: owner, created_at } = start;
  const named = { uid, id, tenant_id, owner, created_at };
  const rest = { visibility: 'private', title: null, settings: {}, metadata: {} } as const;
  return chat ?? { ...named, ...rest };
}

/**
 * Brings a chat's head and branches up to date with its logs: chat.json has their earlier state,
 * and the later branch changes are applied again, in order. Returns true if chat.json is stale.
 */
async function catchUp(chat: StoredChat, saved: ChatSnapshot | undefined): Promise<boolean> {
  const { head_interaction_id: head } = chat.row;
  const known = saved && (head === null || chat.find(head)) ? saved : undefined;
  if (!known) chat.row = { ...chat.row, head_interaction_id: null };
  for (const each of chat.interactions) each.supersededAt = known?.superseded[each.id] ?? null;
  chat.branchVersion = Math.max(chat.branchVersion, saved?.branch_version ?? 0);
  const missed = chat.interactions.filter((each) => versionOf(each) > (known?.branch_version ?? 0));
  for (const interaction of missed.sort((a, b) => versionOf(a) - versionOf(b))) {
    if (!interaction.hasBegun) chat.leaveQueue(interaction);
    else chat.begin(interaction, await beginningOf(interaction));
  }
  const hasEnded = await catchUpEnd(chat);
  return known === undefined || missed.length > 0 || hasEnded;
}

/** True if the head has ended since chat.json was written. */
async function catchUpEnd(chat: StoredChat): Promise<boolean> {
  const { head_interaction_id: id, updated_at } = chat.row;
  const head = id === null ? undefined : chat.find(id);
  const ended_at = head?.state.completed_at;
  if (!head || !ended_at || ended_at <= updated_at) return false;
  return chat.noteEnd(head, ended_at, (await head.readAddedMessages()) ?? []);
}

function versionOf({ state }: StoredInteraction): number {
  return state.branch_version ?? 0;
}

async function beginningOf({ log, known }: StoredInteraction) {
  const [first] = await log.readRecords({ after: 0, limit: 1 });
  const { start, user_message } = await log.readHead();
  const texts = start.chat_texts ?? textsOf(user_message);
  return { at: first?.at ?? known.created_at, ...(!start.queued && { texts }) };
}

/** Regenerates a requests.json that is stale or damaged. */
async function loadRequests(chat: StoredChat, directory: ChatDirectory): Promise<void> {
  await rm(`${directory.requestsFile}${TEMPORARY_SUFFIX}`, { force: true });
  const asking = chat.interactions.filter(({ state }) => state.request_changes > 0);
  if (asking.length === 0) return;
  const file = await readRequestsFile(directory);
  let isStale = false;
  for (const interaction of asking) {
    const saved = file[interaction.id];
    const isCurrent = saved?.changes === interaction.state.request_changes;
    isStale ||= !isCurrent;
    interaction.setRequests(isCurrent ? saved.requests : await interaction.readLoggedRequests());
  }
  if (isStale) await writeRequestsFile(directory, await collectRequests(directory, chat));
}
