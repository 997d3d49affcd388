import { fold } from 'parley/client';
import type { Conversation, RecordEvent } from 'parley/client';
import type { ChatView } from '../chat/open-chat';

/** Between states that are kept, in records. */
const EVERY = 250;

/** A state after each so many records. */
interface Kept {
  /** The last record that it has. */
  readonly last: RecordEvent;
  readonly state: Conversation;
}

/** States of each log, by its first record: the log of one that runs grows. */
const kept = new WeakMap<RecordEvent, Kept[]>();

/**
 * An interaction as of a record: the same as `atSeq` of the client, but from a state nearby, so
 * that a step through a long log takes no longer than in a short one.
 * @param records of one interaction, from the first on
 */
export function stateAt(records: readonly RecordEvent[], seq: number): Conversation | undefined {
  if (!records[0]) return undefined;
  const count = Math.min(Math.max(seq, 1), records.length);
  const parts = partsUntil(records, count);
  return records.slice(parts.length * EVERY, count).reduce(fold, parts.at(-1)?.state);
}

function partsUntil(records: readonly RecordEvent[], count: number): readonly Kept[] {
  const parts = kept.get(records[0]!) ?? [];
  kept.set(records[0]!, parts);
  for (let index = 0; (index + 1) * EVERY <= count; index++) {
    const from = index * EVERY;
    const last = records[from + EVERY - 1]!;
    if (parts[index]?.last === last) continue;
    const before = parts[index - 1]?.state;
    parts[index] = { last, state: records.slice(from, from + EVERY).reduce(fold, before)! };
  }
  return parts.slice(0, Math.floor(count / EVERY));
}

/** The view of a chat with one interaction as it was. What the page has live stays as it is. */
export function viewAt(view: ChatView, id: string, state: Conversation): ChatView {
  const live = view.conversation;
  const ids = new Set(state.requests.map((request) => request.id));
  const others = live?.requests.filter((request) => !ids.has(request.id)) ?? [];
  return {
    ...view,
    conversation: {
      ...(live ?? state),
      interactions: { ...live?.interactions, [id]: state.interactions[id]! },
      requests: [...others, ...state.requests],
    },
  };
}
