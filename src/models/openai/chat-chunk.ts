import { ExactNumber } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';
import { placeIn } from '../answer/turn-fold.js';

/** The fields of a tool call's delta. Servers may omit any of them. */
export interface CallDelta {
  readonly index?: number | undefined;
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
 * An event of a streamed completion, or a whole completion. It is unvalidated server output: any
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
  readonly index?: unknown;
  readonly delta?: ChatDelta | string | null;
  /** Replaces `delta` in an answer that is not streamed; after deltas, it repeats them. */
  readonly message?: ChatDelta | null;
  /** In the form of the older Completions. */
  readonly text?: unknown;
  readonly finish_reason?: unknown;
  readonly usage?: unknown;
}

/** The choices of a chunk; one alone may be without a list. */
export function choicesIn({ choices }: ChatChunk): readonly unknown[] | undefined {
  if (Array.isArray(choices)) return choices as unknown[];
  return isObject(choices) ? [choices] : undefined;
}

/**
 * The calls in a delta or a message; one alone may be without a list. Gateways send a call in the
 * earlier form beside the other one.
 */
export function callsIn({ tool_calls, function_call }: ChatDelta): readonly unknown[] {
  const one = isObject(tool_calls) ? [tool_calls] : [];
  const calls = Array.isArray(tool_calls) ? (tool_calls as unknown[]) : one;
  if (!function_call || calls.some(isObject)) return calls;
  return [...calls, { index: 0, function: function_call }];
}

/**
 * A call with its fields in the form of the API. Servers write the index or the id in the other
 * type, or leave out the object `function`.
 */
export function callOf(delta: Readonly<Record<string, unknown>>): CallDelta {
  const { index, id, function: named, name } = delta;
  const place = placeIn(index);
  return {
    ...(place !== undefined && { index: place }),
    id: typeof id === 'number' || id instanceof ExactNumber ? String(id) : id,
    function: isObject(named) || name === undefined ? (named as CallDelta['function']) : delta,
  };
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
