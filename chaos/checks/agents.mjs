/**
 * Each child agent begins and ends once, inside the one that started it, and its call has what it
 * came to.
 */
export function checkAgents(_, { logs }) {
  return [...logs].flatMap(([id, log]) => faultsOf(log).map((fault) => `${id}: ${fault}`));
}

function faultsOf(log) {
  const starts = log.filter(({ type }) => type === 'AGENT_STARTED');
  return [...checkOwners(log, starts), ...starts.flatMap((start) => checkChild(log, start))];
}

/** Whoever writes has begun, and has not ended. */
function checkOwners(log, starts) {
  const known = new Set([log[0]?.agent_id, ...starts.map(({ agent_id }) => agent_id)]);
  const stranger = log.find(({ agent_id }) => !known.has(agent_id));
  return stranger
    ? [`the record ${stranger.seq} is of ${stranger.agent_id}, which nobody started`]
    : [];
}

function checkChild(log, start) {
  const { agent_id, parent_agent_id, tool_call_id } = start;
  const own = log.filter((record) => record.agent_id === agent_id);
  const parent = log.filter((record) => record.agent_id === parent_agent_id);
  const ends = own.filter(({ type }) => type === 'AGENT_COMPLETED');
  const [end] = ends;
  const says = (fault) => `the agent ${agent_id} ${fault}`;
  if (own[0] !== start) return [says('wrote before it began')];
  if (ends.length !== 1) return [says(`ended ${ends.length} times`)];
  if (own.at(-1) !== end) return [says(`wrote ${own.at(-1).type} after it had ended`)];
  const above = parent.find(({ type }) => type === 'AGENT_COMPLETED') ?? log.at(-1);
  if (above.seq < end.seq) return [says('outlived the one that started it')];
  if (parent[0]?.seq > start.seq) return [says('was started by one that had not begun')];
  return tool_call_id === undefined ? [] : checkCall(log, { start, end }).map(says);
}

function checkCall(log, { start, end }) {
  const id = start.tool_call_id;
  const twins = log.filter(
    ({ type, tool_call_id }) => type === 'AGENT_STARTED' && tool_call_id === id,
  );
  if (twins.length > 1) return [`is one of ${twins.length} that the call ${id} started`];
  const result = log.find((record) => record.type === 'TOOL_RESULT' && record.id === id);
  if (!result || result.is_error) return [];
  if (end.status !== 'completed') return [`ended ${end.status}, and its call went well`];
  return result.tool_output === (end.result || 'The agent finished without an answer.')
    ? []
    : [`came to "${end.result}", and its call to "${result.tool_output}"`];
}
