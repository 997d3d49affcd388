import type { FinishReason } from '../../protocol/events.js';

/**
 * Why a turn ended, in our words; undefined for a reason that is not among the vendor's `reasons`. Servers disagree on the reason of a
 * turn with calls: the calls decide.
 */
export function finishReason(
  reasons: ReadonlyMap<string, FinishReason>,
  reason: string,
  hasCalls: boolean,
): FinishReason | undefined {
  const known = reasons.get(reason);
  if (known === 'stop' || known === 'tool_calls') return hasCalls ? 'tool_calls' : 'stop';
  return known;
}
