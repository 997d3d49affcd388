import type { TurnTraces } from './turn-traces.js';

/** Folds a vendor's messages of one answer into model events. */
export interface TurnFold {
  readonly traces: TurnTraces;
  /** True if the server has sent the finish reason. */
  readonly finished: boolean;
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
