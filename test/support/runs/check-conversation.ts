import type { AssistantMessage, Message, ToolCall } from '../../../src/protocol/message.js';

/** What a strict provider would refuse in a conversation (I8); empty when it is valid. */
export function checkConversation(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  let expected: string[] = [];
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      const next = expected.shift();
      if (next === undefined) faults.push(`${at}: a result that no call asked for here`);
      else if (message.tool_call_id !== next) faults.push(`${at}: not the result of ${next}`);
      if (typeof message.content !== 'string') faults.push(`${at}: a result without text`);
      return;
    }
    if (expected.length > 0) faults.push(`${at}: no result of ${expected.join(', ')} before this`);
    expected = [];
    if (message.role !== 'assistant') return;
    faults.push(...checkAssistant(message, ids).map((fault) => `${at}: ${fault}`));
    expected = (message.tool_calls ?? []).map(({ id }) => id);
  });
  if (expected.length > 0) faults.push(`the end: no result of ${expected.join(', ')}`);
  return faults;
}

function checkAssistant({ content, tool_calls }: AssistantMessage, ids: Set<string>): string[] {
  const faults = (tool_calls ?? []).flatMap((call) => checkCall(call, ids));
  if (tool_calls?.length === 0) faults.push('an empty list of calls');
  if (content === null && !tool_calls) faults.push('neither text nor calls');
  return faults;
}

function checkCall({ id, type, function: fn }: ToolCall, ids: Set<string>): string[] {
  const faults: string[] = [];
  if (ids.has(id)) faults.push(`the id ${id} comes twice`);
  ids.add(id);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) faults.push(`the id ${id.slice(0, 80)} is unusable`);
  if (type !== 'function') faults.push(`a call of type ${String(type)}`);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(fn.name)) faults.push(`the name ${fn.name.slice(0, 80)}`);
  if (!isObject(fn.arguments)) faults.push(`the arguments ${fn.arguments.slice(0, 80)}`);
  return faults;
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
