/** What a strict vendor would refuse in a conversation (I8); undefined when it is valid. */
export function findFault(messages) {
  const ids = new Set();
  let expected = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = expected.shift();
      if (message.tool_call_id !== id) return `message ${at} is not the result of ${id}`;
      if (typeof message.content !== 'string') return `message ${at} has no text`;
      continue;
    }
    if (expected.length > 0) return `message ${at} comes before the results of ${expected}`;
    if (message.role !== 'assistant') continue;
    const calls = message.tool_calls ?? [];
    const fault = calls.map((call) => faultOf(call, ids)).find(Boolean);
    if (fault) return `message ${at}: ${fault}`;
    if (calls.length === 0 && !message.content) return `message ${at} is empty`;
    expected = calls.map(({ id }) => id);
  }
  return expected.length > 0 ? `no results of ${expected} at the end` : undefined;
}

function faultOf({ id, function: { name, arguments: input } }, ids) {
  if (ids.has(id)) return `the call id ${id} comes twice`;
  ids.add(id);
  const value = parse(input);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? undefined : `the arguments of ${name} are ${input}`;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
