import { isDeepStrictEqual } from 'node:util';
import { turnOf } from '../model/turn-of.mjs';
import { findFault } from './conversation.mjs';
import { conversationOf, conversationsBefore } from './fold.mjs';

/**
 * Each conversation is valid, goes on from the one before, is what the log says, and what the model
 * said to it; of child agents too (I8).
 */
export function checkConversations(_, { chats, logs, agents }) {
  return [...chats.values()].flatMap(({ interactions }) => {
    const known = new Map(interactions.map((interaction) => [interaction.id, interaction]));
    return interactions.flatMap((interaction) => {
      const before = known.get(interaction.parent_id)?.final_agent_state?.messages ?? [];
      const log = logs.get(interaction.id);
      const faults = [
        ...checkState(interaction, { before, log }),
        ...byAgent(log).flatMap(checkTurns),
        ...byAgent(log)
          .slice(1)
          .flatMap((own) => checkChild(own, agents.get(own[0].agent_id))),
      ];
      return faults.map((fault) => `${interaction.id}: ${fault}`);
    });
  });
}

function byAgent(log) {
  const agents = [...new Set(log.map(({ agent_id }) => agent_id))];
  return agents.map((agent) => log.filter(({ agent_id }) => agent_id === agent));
}

function checkState({ final_agent_state }, { before, log }) {
  if (!final_agent_state) return ['it has no final_agent_state'];
  const own = log.filter(({ agent_id }) => agent_id === log[0].agent_id);
  return compare(final_agent_state.messages, [...before, ...conversationOf(own)]);
}

function checkChild(own, agent) {
  const { agent_id } = own[0];
  if (agent?.agent_id !== agent_id) return [`nobody knows the agent ${agent_id}`];
  return compare(agent.messages, conversationOf(own)).map((fault) => `${agent_id}: ${fault}`);
}

function compare(messages, expected) {
  const invalid = findFault(messages);
  if (invalid) return [`its conversation is invalid: ${invalid}`];
  const length = Math.max(messages.length, expected.length);
  for (let at = 0; at < length; at++)
    if (!isSame(messages[at], expected[at]))
      return [`message ${at} is ${show(messages[at])}, the log has ${show(expected[at])}`];
  return [];
}

/** Each turn of an agent answers a conversation that it had by then. */
function checkTurns(records) {
  return records.flatMap((record, at) => {
    const { type, agent_id, seq } = record;
    const isPartial = type === 'ANSWER' && record.partial;
    if (type !== 'TURN_COMPLETED' && !isPartial) return [];
    const turn = turnAt(records, at);
    const asked = conversationsBefore(records, at);
    return asked.some((messages) => isTurn(turn, turnOf(messages), record))
      ? []
      : [`the turn of ${agent_id} at ${seq} is not what the model said`];
  });
}

/** What was written of the turn that a record ends. */
function turnAt(records, at) {
  const turn = { thinking: '', text: '', calls: [] };
  for (let n = at; n >= 0; n--) {
    const { type, content, tool_name, tool_input } = records[n];
    if (type === 'THINKING') turn.thinking = content;
    else if (type === 'MESSAGE' || type === 'ANSWER') turn.text = content;
    else if (type === 'TOOL_CALL') turn.calls.unshift({ name: tool_name, arguments: tool_input });
    else if (n < at) break;
  }
  return turn;
}

function isTurn(turn, expected, { partial, error }) {
  if (!expected) return false;
  if (error) return expected.fails === true;
  if (partial) return expected.text.startsWith(turn.text);
  const calls = expected.calls.map(({ name, arguments: input }) => ({ name, arguments: input }));
  return (
    !expected.fails &&
    turn.thinking === expected.thinking &&
    turn.text === expected.text &&
    isDeepStrictEqual(turn.calls, calls)
  );
}

/** But for what a vendor wants back. */
function isSame(one, other) {
  return (
    one?.role === other?.role &&
    (one?.content ?? '') === (other?.content ?? '') &&
    one?.tool_call_id === other?.tool_call_id &&
    isDeepStrictEqual(one?.tool_calls ?? [], other?.tool_calls ?? [])
  );
}

function show(message) {
  return JSON.stringify(message)?.slice(0, 200) ?? 'not there';
}
