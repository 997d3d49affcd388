import { isObjectText, objectText } from '../../kernel/json/bounded-json.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { FinishReason } from '../../protocol/events.js';
import { ModelError } from '../model-error.js';
import { StreamedError } from '../errors/answer-errors.js';
import type { TurnTraces } from './turn-traces.js';

/** The words of all vendors, as gateways pass them on in the streams of others. */
const WORDS: Readonly<Record<FinishReason, readonly string[]>> = {
  stop: [
    'stop',
    'end_turn',
    'stop_sequence',
    'eos',
    'eos_token',
    'complete',
    'completed',
    'normal',
  ],
  tool_calls: ['tool_calls', 'tool_call', 'tool_use', 'function_call'],
  length: [
    ...['length', 'max_length', 'model_length', 'context_length', 'limit', 'token_limit'],
    ...['max_tokens', 'max_output_tokens', 'max_completion_tokens', 'error_limit'],
    ...['context_length_exceeded', 'model_context_window_exceeded'],
    'pause_turn', // the maximum number of continuations was reached
  ],
  content_filter: [
    ...['content_filter', 'content_filtered', 'guardrail_intervened', 'refusal', 'sensitive'],
    ...['safety', 'recitation', 'prohibited_content', 'blocklist', 'spii', 'image_safety'],
    'error_toxic',
  ],
  error: [
    ...['error', 'failed', 'abort', 'aborted', 'cancelled', 'canceled', 'timeout'],
    ...['network_error', 'insufficient_system_resource'],
    ...['malformed_function_call', 'malformed_tool_use', 'malformed_model_output'],
    ...['malformed_response', 'unexpected_tool_call', 'function_call_filter'],
  ],
};
const REASONS: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries(WORDS).flatMap(([reason, words]) =>
    words.map((word) => [word, reason as FinishReason]),
  ),
);
const MAX_SHOWN = 100;

/**
 * Maps a vendor's reason for the end of a turn to a finish reason. Servers disagree on the reason
 * of a turn with tool calls, so the presence of calls decides. A turn that ends for an unknown
 * reason keeps its text and its calls, unless one of the calls is not whole.
 * @param calls the arguments of each call
 * @throws StreamedError if the server has failed in the middle of the turn
 * @throws ModelError if an unknown reason stands behind half a call
 */
export function finishReason(
  word: string,
  calls: readonly string[],
  traces: TurnTraces,
): FinishReason {
  const shown = cutText(word, MAX_SHOWN);
  const known = reasonIn(word);
  if (known === 'error') throw new StreamedError(`the turn ended with the reason "${shown}"`);
  if (known === 'length' || known === 'content_filter') return known;
  if (known === undefined) {
    if (!calls.map(objectText).every(isObjectText)) throw cutCall(traces.scrub(shown));
    traces.unknownReason(shown);
  }
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

/** Some servers put the kind of the reason before it: `function_call_filter: SAFETY`. */
function reasonIn(word: string): FinishReason | undefined {
  const parts = word.toLowerCase().split(':', 2);
  const names = parts.map((part) => part.trim().replaceAll(/[ -]/g, '_')).toReversed();
  return names.map((name) => REASONS.get(name)).find((reason) => reason !== undefined);
}

function cutCall(reason: string): ModelError {
  const message = `The model API ended the turn with the unknown reason "${reason}" in the middle of a tool call.`;
  return new ModelError('model_cut_off', message, { retryable: true });
}
