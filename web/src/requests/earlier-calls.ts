import type { RecordEvent, RecordOf, RequestState } from 'parley/client';
import type { ChatView } from '../chat/open-chat';

/** The server tries a rule on so many calls, each with so long an input in UTF-16 code units. */
const MOST_CALLS = 100;
const LONGEST_INPUT = 20_000;
/** Maximum length of all inputs together. */
const LONGEST = 300_000;

type Call = RecordOf<'TOOL_CALL'>;

/**
 * Calls of the same tool that the page knows, the newest first, without the one that is asked
 * about. For a rule of an agent type only those of agents of that type.
 */
export function earlierCalls(
  view: ChatView,
  request: RequestState,
  scope: 'session' | 'agent' | 'global',
): readonly Call[] {
  const types = agentTypes(view);
  const isOfType = ({ agent_id }: Call): boolean =>
    scope !== 'agent' || types.get(agent_id) === types.get(request.agent_id);
  const isEarlier = (call: Call): boolean =>
    call.id !== request.tool_call_id || call.interaction_id !== request.interaction_id;
  const calls = recordsOf(view)
    .filter((record): record is Call => record.type === 'TOOL_CALL')
    .filter((call) => call.tool_name === request.tool_name && isEarlier(call) && isOfType(call))
    .filter(({ tool_input }) => tool_input.length <= LONGEST_INPUT)
    .reverse()
    .slice(0, MOST_CALLS);
  let length = 0;
  return calls.filter(({ tool_input }) => (length += tool_input.length) <= LONGEST);
}

/** Records of all branches, in order. */
function recordsOf({ conversation, history }: ChatView): readonly RecordEvent[] {
  const live = conversation?.interactions ?? {};
  const ids = [...new Set([...Object.keys(history), ...Object.keys(live)])].sort();
  return ids.flatMap((id) => {
    const state = live[id];
    return state?.started ? state.records : (history[id]?.agent_events ?? []);
  });
}

function agentTypes(view: ChatView): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { agent_id, agent } of Object.values(view.history)) types.set(agent_id, agent);
  for (const { started } of Object.values(view.conversation?.interactions ?? {}))
    if (started) types.set(started.agent_id, started.agent);
  for (const record of recordsOf(view))
    if (record.type === 'AGENT_STARTED') types.set(record.agent_id, record.agent_type);
  return types;
}
