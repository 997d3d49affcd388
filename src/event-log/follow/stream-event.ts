import type { Delta, EventOrigin, RecordEvent, Trace } from '../../protocol/events.js';

/** What a reader gets: a record, or something that passes. */
export type StreamEvent = RecordEvent | (EventOrigin & (Delta | Trace));

/** A delta as clients see it, its fields in the same order wherever it comes from. */
export function toDeltaEvent(
  { interaction_id, agent_id }: EventOrigin,
  { type, block_id, offset, delta, tool_call_id }: Delta,
): StreamEvent {
  return { type, interaction_id, agent_id, block_id, offset, delta, tool_call_id };
}

export function toTraceEvent(
  { interaction_id, agent_id }: EventOrigin,
  { type, name, detail }: Trace,
): StreamEvent {
  return { type, interaction_id, agent_id, name, detail };
}
