import { checkConversation } from './check-conversation.js';
import type { ApiClient } from '../client/api-client.js';
import type { Following } from '../store/following.js';

/**
 * What came of an interaction that was followed to its end, for clients, and all that is wrong with
 * it.
 */
export async function outcomeOf({ of, reader, frames }: Following, api: ApiClient) {
  const { status, usage, error, final_agent_state } = await api.interaction(of);
  const again = await api.follow(of);
  const agents = new Set(reader.records.map(({ agent_id }) => agent_id));
  const conversations = [final_agent_state!.messages];
  for (const id of agents) conversations.push((await api.get(`/agents/${id}`)).body.messages);
  const shownOf = (block_id: string): string =>
    frames
      .map(({ data }) => ('offset' in data && data.block_id === block_id ? data.delta : ''))
      .join('');
  return {
    faults: [...reader.faults, ...again.faults, ...conversations.flatMap(checkConversation)],
    replays: JSON.stringify(again.records) === JSON.stringify(reader.records),
    ...{ status, usage, error, answer: reader.list('ANSWER').at(-1)?.content },
    thinking: reader.list('THINKING').map(({ content }) => content),
    messages: reader.list('MESSAGE').map(({ content }) => content),
    calls: reader.list('TOOL_CALL').map(({ tool_input }) => tool_input),
    results: reader.list('TOOL_RESULT'),
    notices: reader.list('NOTICE'),
    /** What was shown of blocks that were then void. */
    void: reader.list('NOTICE').flatMap((notice) => (notice.void ?? []).map(shownOf)),
    finish_reasons: reader.list('TURN_COMPLETED').map(({ finish_reason }) => finish_reason),
    models: reader.list('TURN_COMPLETED').map(({ model }) => model),
    traces: frames.flatMap(({ data }) => (data.type === 'TRACE' ? [data.name] : [])),
  };
}
