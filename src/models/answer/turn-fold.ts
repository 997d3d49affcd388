import type { TurnTraces } from './turn-traces.js';
import { ExactNumber } from '../../kernel/json/exact-json.js';

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
 * A token count sent by a server, as a number or as its digits: a whole number that every store can
 * hold; 0 if there is none.
 */
export function tokens(value: unknown): number {
  const isText = typeof value === 'string' || value instanceof ExactNumber;
  const count = isText ? Number(value) : value;
  if (typeof count !== 'number' || Number.isNaN(count)) return 0;
  return Math.min(Math.max(Math.round(count), 0), Number.MAX_SAFE_INTEGER);
}

/** A place in a list sent by a server, as a number or as its digits; undefined if there is none. */
export function placeIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const isDigits = typeof value === 'string' && /^\d{1,9}$/.test(value);
  return isDigits || value instanceof ExactNumber ? Number(value) : undefined;
}
