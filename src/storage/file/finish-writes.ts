import type { InteractionLog } from './interaction-log.js';
import { interruptedState } from './log-transitions.js';
import type { StoredChat } from './stored-chat.js';
import { writeBeginning } from './write-beginning.js';

/** Finishes what was committed in one log of a chat and not yet written to another when the process stopped. Answers whether the chat has changed. */
export async function finishWrites(chat: StoredChat): Promise<boolean> {
  for (const log of chat.queued) await finishInterrupt(chat, log);
  return finishPromotion(chat);
}

async function finishInterrupt(chat: StoredChat, log: InteractionLog): Promise<void> {
  const { active } = chat;
  if (!active || active.state.cancel_reason !== null) return;
  const { start } = await log.readHead();
  if (start.queued?.interrupts === active.id) await active.commit(interruptedState(active.state));
}

/** What is next begins when the one before it ended. */
async function finishPromotion(chat: StoredChat): Promise<boolean> {
  const { next, active } = chat;
  if (!next || active) return false;
  const ends = chat.logs.flatMap((log) => log.state.completed_at ?? []);
  const at = ends.sort().at(-1) ?? next.known.created_at;
  const show = await writeBeginning(chat, next, at);
  show();
  return true;
}
