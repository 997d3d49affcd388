import type {
  Conversation,
  Interaction,
  InteractionState,
  OpenBlock,
  RecordEvent,
} from 'parley/client';
import type { ChatView } from './open-chat';

/** Message of a person and the work that answers it, live or as it was. */
export interface Turn {
  readonly id: string;
  readonly parent_id: string | null;
  readonly user_message: string;
  readonly files: Interaction['files'];
  readonly agent: string;
  readonly model: string;
  readonly agent_id: string;
  readonly status: Interaction['status'];
  readonly created_at: string;
  readonly records: readonly RecordEvent[];
  readonly open: Readonly<Record<string, OpenBlock>>;
  /** State on the stream; null: it had ended before the page was opened. */
  readonly live: InteractionState | null;
  readonly usage: Interaction['usage'];
  readonly error: Interaction['error'];
  /** Some of its records are not here, as they are long. */
  readonly isCut: boolean;
}

/** The turns of the branch that is shown, in order. */
export function turnsOf(view: ChatView, wanted?: string | null): readonly Turn[] {
  const turns: Turn[] = [];
  const seen = new Set<string>();
  for (let id = wanted ?? headOf(view); id !== null && !seen.has(id);) {
    const turn = turnOf(view, id);
    if (!turn) break;
    seen.add(id);
    turns.push(turn);
    id = turn.parent_id;
  }
  return turns.reverse();
}

export function turnOf({ conversation, history }: ChatView, id: string): Turn | undefined {
  const state = ownEntry(conversation?.interactions, id);
  const told = ownEntry(history, id);
  if (state?.started) return fromState(state, told);
  if (told && told.status !== 'QUEUED') return fromHistory(told);
  return undefined;
}

/**
 * The interactions that continue from the same point, oldest first: the message and its edits. One
 * alone has no siblings.
 */
export function siblingsOf(view: ChatView, turn: Turn): readonly string[] {
  const ids = new Set<string>();
  for (const { id, parent_id, status } of Object.values(view.history))
    if (parent_id === turn.parent_id && status !== 'QUEUED') ids.add(id);
  for (const { id, started } of Object.values(view.conversation?.interactions ?? {}))
    if (started && started.parent_id === turn.parent_id) ids.add(id);
  return [...ids].sort();
}

/** The end of the newest branch that goes through an interaction. */
export function newestEndOf(view: ChatView, id: string): string {
  const parents = new Map<string, string | null>();
  for (const it of Object.values(view.history))
    if (it.status !== 'QUEUED') parents.set(it.id, it.parent_id);
  for (const it of Object.values(view.conversation?.interactions ?? {}))
    if (it.started) parents.set(it.id, it.started.parent_id);
  const newestFirst = [...parents.keys()].sort().reverse();
  const leadsTo = (end: string): boolean => {
    for (let at: string | null | undefined = end; at; at = parents.get(at))
      if (at === id) return true;
    return false;
  };
  return newestFirst.find(leadsTo) ?? id;
}

function headOf({ conversation, history }: ChatView): string | null {
  const told = conversation?.chat?.head_interaction_id ?? null;
  const live = conversation?.head ?? null;
  if (told === null) return live;
  // It goes on from there already, which the chat tells a moment later.
  const next = live === null ? undefined : ownEntry(conversation?.interactions, live);
  if (next?.started?.parent_id === told) return live;
  const isHere =
    ownEntry(history, told) !== undefined ||
    ownEntry(conversation?.interactions, told)?.started != null;
  return isHere ? told : live;
}

const fromStates = new WeakMap<InteractionState, Turn>();
const fromHistories = new WeakMap<Interaction, Turn>();

/** The same object for the same state, so that what did not change is not drawn again. */
function fromState(state: InteractionState, told: Interaction | undefined): Turn {
  const known = fromStates.get(state);
  if (known) return known;
  const started = state.started!;
  const turn: Turn = {
    id: state.id,
    parent_id: started.parent_id,
    user_message: started.user_message,
    files: started.files ?? told?.files ?? [],
    agent: started.agent,
    model: started.model,
    agent_id: started.agent_id,
    status: state.status,
    created_at: started.at,
    records: state.records,
    open: state.open,
    live: state,
    usage: state.usage,
    error: state.error,
    isCut: false,
  };
  fromStates.set(state, turn);
  return turn;
}

function fromHistory(told: Interaction): Turn {
  const known = fromHistories.get(told);
  if (known) return known;
  const { id, parent_id, user_message, files, agent, model, agent_id, status } = told;
  const turn: Turn = {
    ...{ id, parent_id, user_message, files, agent, model, agent_id, status },
    created_at: told.created_at,
    records: told.agent_events,
    open: {},
    live: null,
    usage: told.usage,
    error: told.error,
    isCut: told.cut !== null && 'agent_events' in told.cut && told.cut.agent_events != null,
  };
  fromHistories.set(told, turn);
  return turn;
}

export function isActive(status: Turn['status']): boolean {
  return status === 'RUNNING' || status === 'WAITING_APPROVAL' || status === 'WAITING_INPUT';
}

export type Requests = Conversation['requests'];

function ownEntry<T>(entries: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return entries && Object.hasOwn(entries, key) ? entries[key] : undefined;
}
