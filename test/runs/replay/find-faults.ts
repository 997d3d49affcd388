import { completes } from '../../../src/runs/journal/completes.js';
import { Conversation } from '../../../src/conversation/conversation.js';
import { isRecordOf } from '../../../src/persistence/rows/log-record.js';
import type { LogRecord } from '../../../src/persistence/rows/log-record.js';
import type { Message } from '../../../src/protocol/message.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import { hookFaults, REFUSED } from './hooked-program.js';
import type { ReplayWorld } from './replay-world.js';

/** What is wrong with an interaction that should have ended well, in words. */
export async function findFaults(replay: ReplayWorld): Promise<string[]> {
  const { world, faults, seen, effects, made } = replay;
  const log = await world.log();
  const row = await world.row();
  const messages = (await world.messages()) ?? [];
  return [
    ...faults,
    ...(row.completed_at === null ? ['it has not ended'] : []),
    ...(row.error && !row.error.message.includes('#') ? [`failed: ${row.error.message}`] : []),
    ...orderFaults(log),
    ...missing(log, [...seen.values()]),
    ...checkConversation(messages),
    ...leftOut(log, messages, world.rootId),
    ...childFaults(log),
    ...toldFaults(log, messages, world.rootId),
    ...log.flatMap((record) => toolFaults(record, effects)),
    ...log.flatMap((record) => refusalFaults(record, effects)),
    ...hookFaults(made),
  ];
}

function orderFaults(log: readonly LogRecord[]): string[] {
  const types = log.map(({ body }) => body.type);
  const end = types.indexOf('INTERACTION_COMPLETE');
  return [
    ...(end === types.length - 1 ? [] : [`it ends with ${types.join(', ')}`]),
    ...(log.some(({ seq }, i) => seq !== i + 1) ? ['the log has a gap'] : []),
    ...twice(log.filter(completes).map(({ key }) => key)),
    ...twice(log.flatMap(({ body }) => (body.type === 'TOOL_CALL' ? [body.id] : []))),
  ];
}

function twice(names: readonly string[]): string[] {
  return names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${name} comes twice`);
}

/** An agent may only get what is durable. */
function missing(log: readonly LogRecord[], outcomes: readonly string[]): string[] {
  const text = JSON.stringify(log);
  return outcomes
    .map((outcome) => /\S+#\d+/.exec(outcome)?.[0] ?? outcome)
    .filter((outcome) => !text.includes(JSON.stringify(outcome).slice(1, -1)))
    .map((outcome) => `not in the log: ${outcome}`);
}

/** What is in the log, delivered or not, and not replaced belongs to its agent's conversation. */
function leftOut(
  log: readonly LogRecord[],
  messages: readonly Message[],
  rootId: string,
): string[] {
  const agents = new Set(log.map(({ agent_id }) => agent_id));
  return [...agents].flatMap((id) => {
    const records = log.filter(({ agent_id }) => agent_id === id);
    const conversation = id === rootId ? messages : fold(records);
    const text = JSON.stringify(conversation);
    const turns = records.flatMap((record) => {
      const turn = isRecordOf(record, 'TURN_COMPLETED') ? record.hidden : null;
      return turn?.in_conversation ? [turn.message] : [];
    });
    const replaced = new Set(
      records.map(({ body }) => ('replaces' in body ? body.replaces : undefined)),
    );
    const gone = new Set<unknown>(
      records.flatMap(({ body }) =>
        (body.type === 'ANSWER' || body.type === 'MESSAGE') && replaced.has(body.block_id)
          ? [body.content]
          : [],
      ),
    );
    const missed = turns
      .filter(({ content }) => !gone.has(content))
      .map((message) => JSON.stringify(message))
      .filter((message) => !text.includes(message))
      .map((message) => `not in the conversation of ${id}: ${message}`);
    return [...missed, ...checkConversation(conversation)];
  });
}

/**
 * What people said is taken in once, and is then in its agent's conversation, once. Who is to be
 * stopped is, at once.
 */
function toldFaults(
  log: readonly LogRecord[],
  messages: readonly Message[],
  rootId: string,
): string[] {
  const taken = log.flatMap(({ body, agent_id, seq }) =>
    body.type === 'AGENT_INTERVENED' ? [{ ...body, agent_id, seq }] : [],
  );
  const faults = taken.flatMap(({ user_comment, user_content, agent_id, seq }) => {
    const ends = log.filter((each) => each.agent_id === agent_id && each.seq > seq);
    const end = ends.find(({ body }) => body.type === 'AGENT_COMPLETED');
    if (user_comment === 'delete')
      return end?.hidden && JSON.stringify(end.hidden).includes('agent_deleted')
        ? []
        : [`${seq}: ${agent_id} was stopped, and went on`];
    const said = user_content ?? user_comment;
    const own = log.filter((each) => each.agent_id === agent_id);
    const conversation = agent_id === rootId ? messages : fold(own);
    const times = conversation.filter((each) => each.content?.match(/\S+#\d+$/)?.[0] === said);
    return times.length === 1 ? [] : [`${said} is in its conversation ${times.length} times`];
  });
  return [...faults, ...twice(taken.map(({ intervention_id }) => intervention_id))];
}

function fold(records: readonly LogRecord[]): readonly Message[] {
  const conversation = new Conversation([]);
  for (const record of records) conversation.apply(record);
  return conversation.messages;
}

/**
 * A child ends once, after its own children; then nothing of it follows. Every call has one result.
 */
function childFaults(log: readonly LogRecord[]): string[] {
  const running = new Map<string, string>();
  const faults: string[] = [];
  for (const { agent_id, body, seq } of log) {
    if (body.type === 'AGENT_STARTED') {
      if (running.has(agent_id)) faults.push(`${agent_id} starts twice`);
      running.set(agent_id, body.parent_agent_id);
    } else if (body.type === 'AGENT_COMPLETED') {
      if (!running.delete(agent_id)) faults.push(`${agent_id} ends twice`);
      if ([...running.values()].includes(agent_id)) faults.push(`${agent_id} ends before a child`);
    } else if (agent_id !== log[0]!.agent_id && !running.has(agent_id)) {
      faults.push(`${seq}: ${body.type} of an agent that is over`);
    }
  }
  const calls = idsOf(log, 'TOOL_CALL');
  const results = idsOf(log, 'TOOL_RESULT');
  return [
    ...faults,
    ...[...running.keys()].map((id) => `${id} does not end`),
    ...(calls.join() === results.join()
      ? []
      : [`calls ${calls.join()}, results ${results.join()}`]),
  ];
}

function idsOf(log: readonly LogRecord[], type: 'TOOL_CALL' | 'TOOL_RESULT'): string[] {
  return log.flatMap(({ body }) => (body.type === type ? [body.id] : [])).toSorted();
}

function refusalFaults({ body }: LogRecord, effects: ReadonlyMap<string, number>): string[] {
  const isRefused = body.type === 'TOOL_RESULT' && body.tool_output.startsWith(REFUSED);
  return isRefused && effects.has(body.id) ? [`${body.id} ran, although it was refused`] : [];
}

function toolFaults({ body }: LogRecord, effects: ReadonlyMap<string, number>): string[] {
  if (body.type !== 'TOOL_RESULT') return [];
  const count = effects.get(body.id) ?? 0;
  if (body.tool_name === 'once' && count > 1) return [`${body.id} ran ${count} times (I4)`];
  return body.is_error || count > 0 ? [] : [`${body.id} did not run`];
}
