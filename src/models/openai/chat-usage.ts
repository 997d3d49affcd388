import { isObject } from '../../kernel/json.js';
import type { Usage } from '../../protocol/interaction.js';
import { tokens } from '../answer/turn-fold.js';
import type { ChatChunk, ChatChoice } from './chat-chunk.js';

const INPUT = ['prompt_tokens', 'input_tokens', 'prompt_eval_count'];
const OUTPUT = ['completion_tokens', 'output_tokens', 'eval_count'];

/**
 * The usage that a chunk reports: in its own member, as OpenAI does, or where other servers have
 * it. Undefined if it reports none.
 */
export function usageIn(chunk: ChatChunk): Usage | undefined {
  const choice = Array.isArray(chunk.choices) ? (chunk.choices[0] as unknown) : undefined;
  const { usage, delta, message } = (isObject(choice) ? choice : {}) as ChatChoice;
  const { x_groq: extension } = chunk;
  const places = [chunk, { usage }, delta, message, extension];
  for (const place of places) {
    const found = isObject(place) && isObject(place.usage) ? usageOf(place.usage) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Undefined if it counts nothing, as in the early chunks of some servers. */
function usageOf(usage: Readonly<Record<string, unknown>>): Usage | undefined {
  const input_tokens = countIn(usage, INPUT);
  const output_tokens = countIn(usage, OUTPUT);
  if (input_tokens + output_tokens > 0) return { input_tokens, output_tokens };
  const total = tokens(usage.total_tokens);
  return total > 0 ? { input_tokens: total, output_tokens: 0 } : undefined;
}

function countIn(usage: Readonly<Record<string, unknown>>, names: readonly string[]): number {
  const counts = names.map((name) => tokens(usage[name]));
  return counts.find((count) => count > 0) ?? 0;
}
