import type { TurnTraces } from './turn-traces.js';
import type { FinishReason } from '../../protocol/events.js';

/** Folds a vendor's messages of one answer into model events. */
export interface TurnFold {
  readonly traces: TurnTraces;
  /** True if the server has sent the finish reason. */
  readonly finished: boolean;
  /** True if nothing of a turn was received. */
  readonly isEmpty: boolean;
  /** The first event that was not understood, or undefined. */
  readonly stray: unknown;
  /** True if the server has said that nothing follows. */
  readonly over: boolean;
  /** Description of a JSON body that `acceptWhole` rejects, for error messages. */
  readonly refused_json: string;
  /** Accepts the JSON of one event. */
  accept(event: unknown): void;
  /** Accepts an answer that was not streamed; false if the JSON is not one. */
  acceptWhole(json: Readonly<Record<string, unknown>>): boolean;
  /** Called when the whole answer has been received. */
  complete(): void;
}

/**
 * A token count sent by a server, as a whole number that every store can hold; 0 if there is none.
 */
export function tokens(value: unknown): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return 0;
  return Math.min(Math.max(Math.round(value), 0), Number.MAX_SAFE_INTEGER);
}

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
