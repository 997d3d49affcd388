import type { Delta, EventOrigin, RecordEvent, Trace } from '../../protocol/events.js';

/** An event for readers: a record, or an ephemeral delta or trace. */
export type StreamEvent = RecordEvent | (EventOrigin & (Delta | Trace));

/** A delta for clients, its fields always in the same order. */
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
