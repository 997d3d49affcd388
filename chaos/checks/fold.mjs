/** A turn is written as these, and a `TURN_COMPLETED`. */
const OF_A_TURN = new Set(['THINKING', 'MESSAGE', 'ANSWER', 'TOOL_CALL']);

/** The conversation of one agent, as the records of its own that a client has seen tell it. */
export function conversationOf(records) {
  const entries = [];
  const turns = new Map();
  /** Adds a text that stands in place of the answer of a block, if it names one. */
  const addText = (content, replaces) => {
    const at = entries.findIndex(({ block_id }) => block_id !== undefined && block_id === replaces);
    if (at >= 0) entries.splice(at, 1);
    entries.push({ role: 'assistant', content });
  };
  let open = newTurn();
  for (const record of records) {
    if (!OF_A_TURN.has(record.type) && record.type !== 'TURN_COMPLETED') {
      if (open.text) addText(open.text, open.replaces); // no turn of the model's: cut short, or what the agent returned
      open = newTurn();
    }
    switch (record.type) {
      case 'INTERACTION_STARTED':
        entries.push({ role: 'user', content: record.user_message });
        break;
      case 'AGENT_STARTED':
        entries.push({ role: 'user', content: record.prompt });
        break;
      case 'MESSAGE':
      case 'ANSWER':
        Object.assign(open, { text: record.content, block_id: record.block_id });
        open.replaces = record.replaces;
        break;
      case 'TOOL_CALL':
        open.calls.set(record.id, { name: record.tool_name, arguments: sent(record.tool_input) });
        break;
      case 'TURN_COMPLETED':
        if (!record.error) entries.push(open);
        for (const id of open.calls.keys()) turns.set(id, open);
        open = newTurn();
        break;
      case 'TOOL_RESULT':
        turns.get(record.id)?.results.set(record.id, record.tool_output);
        break;
      case 'APPROVED':
        if (record.modified_input)
          turns.get(record.tool_call_id).calls.get(record.tool_call_id).arguments = JSON.stringify(
            record.modified_input,
          );
        break;
      case 'AGENT_COMPLETED':
        if (record.status === 'completed' && record.result !== lastText(entries))
          addText(record.result, record.replaces);
        break;
      case 'NOTICE':
        if (record.code === 'deferred_call_settled')
          entries.push({ role: 'user', content: record.message });
        break;
      default:
    }
  }
  return entries.flatMap((entry) => (entry.calls ? messagesOf(entry) : [entry]));
}

/**
 * What the model may have been asked the turn with that ends at `at`: nobody knows which of the
 * records that were written while it was asked it had been told of.
 */
export function conversationsBefore(records, at) {
  let end = at;
  while (end > 0 && OF_A_TURN.has(records[end - 1].type)) end--;
  let begin = end;
  while (begin > 1 && isAside(records[begin - 1])) begin--;
  return Array.from({ length: end - begin + 1 }, (_, n) =>
    conversationOf(records.slice(0, begin + n)),
  );
}

/** May come while the model is asked. */
function isAside({ type }) {
  return !['INTERACTION_STARTED', 'AGENT_STARTED', 'TURN_COMPLETED', 'TOOL_RESULT'].includes(type);
}

/** The last that was said without a call. */
function lastText(entries) {
  const last = entries.findLast(({ role, calls }) => role === 'assistant' || calls?.size === 0);
  return last?.content ?? last?.text ?? '';
}

function newTurn() {
  return { text: '', calls: new Map(), results: new Map() };
}

function messagesOf({ text, calls, results }) {
  const tool_calls = [...calls].map(([id, fn]) => ({ id, type: 'function', function: fn }));
  return [
    { role: 'assistant', content: text || null, ...(calls.size > 0 && { tool_calls }) },
    ...[...calls.keys()].map((id) => ({
      role: 'tool',
      tool_call_id: id,
      content: results.get(id) ?? 'This tool call was not run.',
    })),
  ];
}

/** Vendors take nothing but objects. */
function sent(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : '{}';
  } catch {
    return '{}';
  }
}
