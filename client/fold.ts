import { isLogLost } from './read-once.js';
import { change, EMPTY, find } from './fold/conversation.js';
import type { Conversation, InteractionState } from './fold/conversation.js';
import { beginInteraction, takeDelta, takeRecord } from './fold/interaction.js';
import * as requests from './fold/requests.js';
import type { ChatStreamEvent, RecordEvent, Task } from './types.js';

/**
 * The conversation after an event of a chat's or an interaction's stream; undefined begins one.
 * Pure, and the same however often the stream was cut. Parts that an event does not change stay the
 * same objects.
 */
export function fold(state: Conversation | undefined, event: ChatStreamEvent): Conversation {
  const before = state ?? EMPTY;
  if ('offset' in event)
    return put(before, takeDelta(interactionOf(before, event.interaction_id), event));
  if ('seq' in event) return foldRecord(before, event);
  switch (event.type) {
    case 'CHAT_STATE': {
      const { chat, queued, tasks } = event;
      const pending = event.requests.reduce(requests.takeLive, before.requests);
      return withChat({ ...before, queued, tasks, requests: pending }, chat);
    }
    case 'CHAT_UPDATED':
      return withChat(before, event.chat);
    case 'INTERACTION_QUEUED':
      return { ...before, queued: event.queued };
    case 'REQUEST_OPENED':
    case 'REQUEST_SETTLED':
      return { ...before, requests: requests.takeLive(before.requests, event.request) };
    case 'TASK_UPDATED':
      return { ...before, tasks: withTask(before.tasks, event) };
    case 'FILE_ADDED': {
      const others = before.files.filter(({ id }) => id !== event.file.id);
      return { ...before, files: [...others, event.file] };
    }
    case 'AGENT_STATE':
      return foldAgentState(before, event);
    default:
      return foldFailure(before, event);
  }
}

/**
 * The conversation as it was right after a record of one interaction, the head unless named: with
 * what had begun before, and without open texts and what is not in the log (files, changes of the
 * board by people).
 */
export function atSeq(
  state: Conversation,
  seq: number,
  interaction_id: string | null = state.head,
): Conversation {
  const ids = Object.keys(state.interactions).sort();
  const earlier = ids.filter((id) => interaction_id !== null && id <= interaction_id);
  const records = earlier.flatMap((id) => state.interactions[id]!.records);
  const until = records.filter((it) => it.interaction_id !== interaction_id || it.seq <= seq);
  return { ...until.reduce(foldRecord, EMPTY), chat: state.chat };
}

/** The branch that is shown: from the first interaction that is known to the head. */
export function branchOf({ interactions, head }: Conversation): InteractionState[] {
  const branch: InteractionState[] = [];
  for (let id = head; id !== null;) {
    const interaction = find(interactions, id);
    if (!interaction) break;
    branch.push(interaction);
    id = interaction.started?.parent_id ?? null;
  }
  return branch.reverse();
}

function foldRecord(before: Conversation, record: RecordEvent): Conversation {
  const { interaction_id: id } = record;
  const interaction = interactionOf(before, id);
  if (record.seq <= interaction.seq) return before;
  const asked = requests.takeRecord(before.requests, record);
  const isOver = record.type === 'INTERACTION_COMPLETE';
  const status = isOver ? record.status : requests.waitingStatus(asked, id);
  const queued = before.queued.filter((waiting) => waiting !== id);
  const after = put(
    { ...before, queued, requests: asked },
    { ...takeRecord(interaction, record), status },
  );
  if (record.type === 'TASK_UPDATED') return { ...after, tasks: withTask(after.tasks, record) };
  return record.type === 'INTERACTION_STARTED' ? begun(after, id) : after;
}

/** A chat's head may be told before it begins: until then the branch stays as it is. */
function withChat(before: Conversation, chat: NonNullable<Conversation['chat']>): Conversation {
  const head = chat.head_interaction_id;
  const hasBegun = head !== null && find(before.interactions, head) !== undefined;
  return { ...before, chat, head: hasBegun ? head : before.head };
}

/**
 * In a replay, the newest is shown until the chat's head has come. One that goes on from there is
 * the head, which the chat tells a moment later.
 */
function begun(before: Conversation, id: string): Conversation {
  const wanted = before.chat?.head_interaction_id ?? null;
  const goesOn = find(before.interactions, id)?.started?.parent_id === wanted;
  const isThere = wanted !== null && find(before.interactions, wanted) !== undefined;
  return { ...before, head: isThere && !goesOn ? wanted : id };
}

function foldAgentState(
  before: Conversation,
  event: Extract<ChatStreamEvent, { readonly type: 'AGENT_STATE' }>,
): Conversation {
  const interaction = find(before.interactions, event.interaction_id);
  const agent = interaction?.agents.find(({ id }) => id === event.agent_id);
  if (!interaction || agent?.status !== 'running') return before;
  return put(before, {
    ...interaction,
    agents: change(interaction.agents, agent.id, { now: event }),
  });
}

/** An error without a number is one of the stream: it ends what can be known of an interaction. */
function foldFailure(before: Conversation, event: ChatStreamEvent): Conversation {
  if (event.type !== 'ERROR') return before;
  const { interaction_id: id, code, message } = event;
  const interaction = interactionOf(before, id);
  if (!isLogLost(event)) return put(before, { ...interaction, error: { code, message } });
  const { [id]: _, ...interactions } = before.interactions;
  const head = before.head === id ? (interaction.started?.parent_id ?? null) : before.head;
  return { ...before, interactions, head, requests: requests.dropOf(before.requests, id) };
}

function withTask(
  tasks: readonly Task[],
  { task, deleted }: { readonly task: Task; readonly deleted?: true },
): readonly Task[] {
  const known = tasks.find(({ id }) => id === task.id);
  if (known && known.version > task.version) return tasks;
  if (deleted) return tasks.filter(({ id }) => id !== task.id);
  return known ? tasks.map((it) => (it === known ? task : it)) : [...tasks, task];
}

function interactionOf({ interactions }: Conversation, id: string): InteractionState {
  return find(interactions, id) ?? beginInteraction(id);
}

function put(state: Conversation, interaction: InteractionState): Conversation {
  if (find(state.interactions, interaction.id) === interaction) return state;
  return { ...state, interactions: { ...state.interactions, [interaction.id]: interaction } };
}
