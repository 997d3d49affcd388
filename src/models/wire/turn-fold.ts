import type { TurnTraces } from './turn-traces.js';

/** Folds what a vendor sends for one answer into model events. */
export interface TurnFold {
  readonly traces: TurnTraces;
  /** Whether the server has said why the turn ended. */
  readonly finished: boolean;
  /** Whether the server has said that nothing follows. */
  readonly over: boolean;
  /** In words, what a JSON body is that `acceptWhole` refuses. */
  readonly refused_json: string;
  /** Takes one event's JSON. */
  accept(event: unknown): void;
  /** Takes an answer that was not streamed; false when it is none. */
  acceptWhole(json: Readonly<Record<string, unknown>>): boolean;
  /** The whole answer has come. */
  complete(): void;
}
