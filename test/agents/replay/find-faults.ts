import { completes } from '../../../src/agents/journal/completes.js';
import type { TurnJournal } from '../../../src/agents/runtime/conversation.js';
import type { LogRecord } from '../../../src/log/log-record.js';
import type { Message } from '../../../src/protocol/message.js';
import { checkConversation } from '../../support/check-conversation.js';
import type { ReplayWorld } from './replay-world.js';

/** What is wrong with an interaction that should have ended well, in words. */
export async function findFaults({ world, faults, seen, effects }: ReplayWorld): Promise<string[]> {
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
    ...leftOut(log, messages),
    ...log.flatMap((record) => toolFaults(record, effects)),
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

/** Whatever is in the log, delivered or not, belongs to the conversation. */
function leftOut(log: readonly LogRecord[], messages: readonly Message[]): string[] {
  const text = JSON.stringify(messages);
  const turns = log.flatMap(({ body, hidden }) =>
    body.type === 'TURN_COMPLETED' && hidden ? [(hidden as TurnJournal).message] : [],
  );
  return turns
    .map((message) => JSON.stringify(message))
    .filter((message) => !text.includes(message))
    .map((message) => `not in the conversation: ${message}`);
}

function toolFaults({ body }: LogRecord, effects: ReadonlyMap<string, number>): string[] {
  if (body.type !== 'TOOL_RESULT') return [];
  const count = effects.get(body.id) ?? 0;
  if (body.tool_name === 'once' && count > 1) return [`${body.id} ran ${count} times (I4)`];
  return body.is_error || count > 0 ? [] : [`${body.id} did not run`];
}
