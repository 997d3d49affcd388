/** The fields of a tool call's delta. Servers may omit any of them. */
export interface CallDelta {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

/** The fields of a chunk's delta, or of a whole message, that the adapter reads. */
export interface ChatDelta {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: unknown;
  /** Predecessor of `tool_calls`. */
  readonly function_call?: CallDelta['function'];
}

/**
 * One event of a streamed completion, or a whole completion. It is unvalidated server output: any
 * field may be missing or malformed.
 */
export interface ChatChunk {
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly object?: unknown;
  /** An extension of Groq, which may have the usage. */
  readonly x_groq?: unknown;
}

export interface ChatChoice {
  readonly delta?: ChatDelta | null;
  /** Replaces `delta` in an answer that is not streamed; after deltas, it repeats them. */
  readonly message?: ChatDelta | null;
  readonly finish_reason?: unknown;
  readonly usage?: unknown;
}

export const CHUNK_FIELDS: readonly string[] = [
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'service_tier',
  'system_fingerprint',
  'obfuscation',
];

export const DELTA_FIELDS: readonly string[] = [
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
];
