import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readSpanSync } from '../../../kernel/disk/read-span.js';
import { isMissing } from '../../../kernel/disk/missing-path.js';
import type { RequestRow } from '../../../persistence/rows/request-rows.js';
import type { ChatSnapshot } from '../../memory/core/journal.js';
import type { StoredChat } from '../../memory/core/stored-chat.js';
import type { StoredInteraction } from '../../memory/core/stored-interaction.js';
import type { ChatDirectory } from '../log/chat-directory.js';
import { replaceDurably, replaceFile } from '../durable-files.js';

/**
 * Writes chat.json, which is for people. A start reads from it only the data that the logs don't
 * have.
 */
export async function writeChatFile(
  { chatFile }: ChatDirectory,
  chat: ChatSnapshot,
): Promise<void> {
  await replaceDurably(chatFile, toText(chat));
}

/** Undefined if there is none; `damaged` if it does not contain a chat. */
export async function readChatFile({
  chatFile,
}: ChatDirectory): Promise<ChatSnapshot | 'damaged' | undefined> {
  try {
    const chat = JSON.parse(await readFile(chatFile, 'utf8')) as Partial<ChatSnapshot>;
    const isWhole = typeof chat.uid === 'string' && typeof chat.branch_version === 'number';
    return isWhole && chat.superseded ? (chat as ChatSnapshot) : 'damaged';
  } catch (error) {
    return isMissing(error) ? undefined : 'damaged';
  }
}

/** The beginning of `<interaction_id>.json`; a start reads only these fields. */
const FIRST_FIELDS = /^\{\n {2}"last_seq": (\d+),\n {2}"superseded_at": (?:null|"([^"]*)"),/;
const HEAD_BYTES = 128;

/**
 * Writes `<interaction_id>.json`: the interaction with the messages that it added, as
 * `final_agent_state`.
 */
export async function writeProjection(
  directory: ChatDirectory,
  interaction: StoredInteraction,
): Promise<void> {
  const { last_seq, superseded_at, ...row } = await interaction.readRow();
  const messages = await interaction.readAddedMessages();
  const final_agent_state = messages ? { messages } : null;
  const text = toText({ last_seq, superseded_at, ...row, final_agent_state });
  await replaceFile(directory.projectionFile(interaction.id), text);
}

export function isProjected(directory: ChatDirectory, interaction: StoredInteraction): boolean {
  const path = directory.projectionFile(interaction.id);
  if (!existsSync(path)) return false;
  const fd = openSync(path, 'r');
  try {
    const tail = readText(fd, Math.max(0, fstatSync(fd).size - HEAD_BYTES));
    const match = tail.endsWith('\n}\n') ? FIRST_FIELDS.exec(readText(fd, 0)) : null;
    if (!match) return false;
    const isCurrent = Number(match[1]) === interaction.state.last_seq;
    return isCurrent && (match[2] ?? null) === interaction.supersededAt;
  } finally {
    closeSync(fd);
  }
}

function readText(fd: number, position: number): string {
  return readSpanSync(fd, position, HEAD_BYTES).toString('latin1');
}

/** requests.json: all requests of a chat, by interaction. */
export type RequestsFile = Readonly<Record<string, SavedRequests>>;

interface SavedRequests {
  /** `request_changes` of the interaction from which this was generated; stale if they differ. */
  readonly changes: number;
  readonly requests: readonly RequestRow[];
}

/** All requests in their current state. Logs are read only if the file is stale. */
export async function collectRequests(
  directory: ChatDirectory,
  chat: StoredChat,
): Promise<RequestsFile> {
  const saved = await readRequestsFile(directory);
  const entries: [string, SavedRequests][] = [];
  for (const interaction of chat.interactions) {
    const changes = interaction.state.request_changes;
    if (changes === 0) continue;
    const known = saved[interaction.id];
    const isCurrent = known?.changes === changes;
    entries.push([
      interaction.id,
      isCurrent ? known : { changes, requests: await interaction.readRequests() },
    ]);
  }
  return Object.fromEntries(entries);
}

export async function writeRequestsFile(
  { requestsFile }: ChatDirectory,
  file: RequestsFile,
): Promise<void> {
  await replaceFile(requestsFile, toText(file));
}

/** Empty if the file is missing or damaged. */
export async function readRequestsFile({ requestsFile }: ChatDirectory): Promise<RequestsFile> {
  try {
    const file: unknown = JSON.parse(await readFile(requestsFile, 'utf8'));
    return typeof file === 'object' && file !== null ? (file as RequestsFile) : {};
  } catch {
    return {};
  }
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
