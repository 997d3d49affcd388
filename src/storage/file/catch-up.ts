import type { ChatFile } from './chat-file.js';
import type { InteractionLog } from './interaction-log.js';
import type { StoredChat } from './stored-chat.js';

/**
 * Brings a chat's head and branches to where its logs are: chat.json says how they were, and the turns that it doesn't know of are taken
 * again. Answers whether there was anything to do.
 */
export async function catchUp(chat: StoredChat, saved: ChatFile | undefined): Promise<boolean> {
  const known = saved && isHeadThere(chat) ? saved : undefined;
  if (known) restoreMarks(chat, known);
  else chat.row = { ...chat.row, head_interaction_id: null };
  const missed = turnsAfter(chat, known?.turns ?? 0);
  chat.turns = Math.max(chat.turns, saved?.turns ?? 0);
  for (const log of missed) await takeTurn(chat, log);
  return known === undefined || missed.length > 0;
}

function isHeadThere({ row, logs }: StoredChat): boolean {
  const { head_interaction_id: head } = row;
  return head === null || logs.some((log) => log.id === head);
}

function restoreMarks(chat: StoredChat, { superseded }: ChatFile): void {
  for (const log of chat.logs) log.supersededAt = superseded[log.id] ?? null;
}

/** In order. */
function turnsAfter({ logs }: StoredChat, turns: number): InteractionLog[] {
  return logs.filter((log) => turnOf(log) > turns).sort((a, b) => turnOf(a) - turnOf(b));
}

function turnOf(log: InteractionLog): number {
  return log.state.turn ?? 0;
}

async function takeTurn(chat: StoredChat, log: InteractionLog): Promise<void> {
  if (!log.hasBegun) return chat.leaveQueue(log);
  const [first] = await log.readRecords({ after: 0, limit: 1 });
  chat.begin(log, first?.at ?? log.known.created_at);
}
