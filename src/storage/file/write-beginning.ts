import { firstRecord } from '../../persistence/rows/log-record.js';
import type { InteractionLog } from './interaction-log.js';
import { begunState } from './log-transitions.js';
import { parentFromQueue } from './parent-from-queue.js';
import type { StoredChat } from './stored-chat.js';

/** Writes record 1 of a queued interaction. Answers what lets it be seen, which answers what else that changes. */
export async function writeBeginning(
  chat: StoredChat,
  log: InteractionLog,
  at: string,
): Promise<() => Iterable<InteractionLog>> {
  const { start, user_message } = await log.readHead();
  const { state } = log;
  const parent_id = parentFromQueue(chat, log, start);
  const begun = { ...start, user_message, parent_id };
  const first = firstRecord(begun, { epoch: state.epoch, at });
  const turn = ++chat.turns;
  const show = await log.write(begunState(state, { parent_id, turn }), { records: [first] });
  return () => {
    show();
    return chat.begin(log, at);
  };
}
