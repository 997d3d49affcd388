import type { FinishReason } from '../../protocol/events.js';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);

/** Why a turn ended, in our words; undefined for a reason that we don't know. Servers disagree on the reason of a turn with calls: the calls decide. */
export function finishReason(reason: string, hasCalls: boolean): FinishReason | undefined {
  const known = REASONS.get(reason);
  if (known === 'stop' || known === 'tool_calls') return hasCalls ? 'tool_calls' : 'stop';
  return known;
}
