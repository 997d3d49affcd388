import { isDeepStrictEqual } from 'node:util';
import { turnOf } from '../model/turn-of.mjs';
import { findFault } from './conversation.mjs';

/** Each conversation is valid, goes on from the one before, and is what the model said to it (I8). */
export function checkConversations(world, { chats, logs }) {
  return [...chats.values()].flatMap(({ interactions }) => {
    const known = new Map(interactions.map((interaction) => [interaction.id, interaction]));
    return interactions.flatMap((interaction) => {
      const before = known.get(interaction.parent_id)?.final_agent_state?.messages ?? [];
      const mode = world.planOf(interaction.user_message)?.mode;
      const log = logs.get(interaction.id);
      const faults = faultsOf(interaction, { before, mode, log });
      return faults.map((fault) => `${interaction.id}: ${fault}`);
    });
  });
}

function faultsOf({ final_agent_state, user_message }, { before, mode, log }) {
  if (!final_agent_state) return ['it has no final_agent_state'];
  const { messages } = final_agent_state;
  const invalid = findFault(messages);
  if (invalid) return [`its conversation is invalid: ${invalid}`];
  if (!isDeepStrictEqual(messages.slice(0, before.length), before))
    return ['it forgot what was before'];
  const said = messages[before.length];
  if (said?.role !== 'user' || said.content !== user_message)
    return ['it forgot what the user said'];
  return mode === 'defer' ? [] : checkTurns(messages, { from: before.length, log });
}

/** What was put off changes what the model has heard afterwards: left out there. */
function checkTurns(messages, { from, log }) {
  const isPartial = log.some(({ type, partial }) => type === 'ANSWER' && partial);
  return messages.flatMap((message, at) => {
    if (at < from || message.role !== 'assistant') return [];
    const expected = turnOf(messages.slice(0, at));
    const mayBeCut = isPartial && at === messages.length - 1;
    return isTurn(message, expected, { mayBeCut, log })
      ? []
      : [`message ${at} is not what the model said`];
  });
}

function isTurn({ content, tool_calls = [] }, expected, { mayBeCut, log }) {
  if (mayBeCut) return expected.text.startsWith(content);
  if ((content ?? '') !== expected.text || tool_calls.length !== expected.calls.length)
    return false;
  return tool_calls.every(({ id, function: fn }, n) => {
    const { name, arguments: input } = expected.calls[n];
    return fn.name === name && fn.arguments === whatRan(id, input, log);
  });
}

function whatRan(id, input, log) {
  const approval = log.find(({ type, tool_call_id }) => type === 'APPROVED' && tool_call_id === id);
  if (approval?.modified_input) return JSON.stringify(approval.modified_input);
  return input.endsWith('}') ? input : '{}';
}
