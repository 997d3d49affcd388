import type { FinishReason } from '../../protocol/events.js';

/**
 * Maps a vendor's reason for the end of a turn to a finish reason; undefined if it is not among the
 * vendor's `reasons`. Servers disagree on the reason of a turn with tool calls, so the presence of
 * calls decides.
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
