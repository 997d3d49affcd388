/** What an agent and all below it may use; what is not given is not bounded by it. */
export interface Budget {
  /** Of input and output together. */
  readonly tokens?: number;
  readonly tool_calls?: number;
  /** Milliseconds of work: waiting for people doesn't count, nor does what was lost with a process. */
  readonly wall_time_ms?: number;
  /** US dollars, of models whose price is known. */
  readonly cost_usd?: number;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
}

/** By `<provider>/<name>`. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;
