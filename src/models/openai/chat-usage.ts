import { isObject } from '../../kernel/json/json.js';
import type { Usage } from '../../protocol/interaction.js';
import { tokens } from '../answer/turn-fold.js';
import { choicesIn, type ChatChunk, type ChatChoice } from './chat-chunk.js';

const INPUT = ['prompt_tokens', 'input_tokens', 'prompt_eval_count'];
const OUTPUT = ['completion_tokens', 'output_tokens', 'eval_count'];
const INPUT_DETAILS = ['prompt_tokens_details', 'input_tokens_details'];
const OUTPUT_DETAILS = ['completion_tokens_details', 'output_tokens_details'];

/**
 * The usage that a chunk reports: in its own member, as OpenAI does, or where other servers have
 * it. Undefined if it reports none.
 */
export function usageIn(chunk: ChatChunk): Usage | undefined {
  const [choice] = choicesIn(chunk) ?? [];
  const { usage, delta, message } = (isObject(choice) ? choice : {}) as ChatChoice;
  const { x_groq: extension } = chunk;
  const places = [chunk, { usage }, delta, message, extension];
  for (const place of places) {
    const found = isObject(place) && isObject(place.usage) ? usageOf(place.usage) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** The known counts with further ones. Some servers report the two in different chunks. */
export function withCounts(known: Usage, more: Usage | undefined): Usage {
  return {
    ...known,
    ...more,
    input_tokens: more?.input_tokens || known.input_tokens,
    output_tokens: more?.output_tokens || known.output_tokens,
  };
}

/** Undefined if it counts nothing, as in the early chunks of some servers. */
function usageOf(usage: Readonly<Record<string, unknown>>): Usage | undefined {
  const input_tokens = countIn(usage, INPUT);
  const counted = countIn(usage, OUTPUT);
  const total = tokens(usage.total_tokens);
  if (input_tokens + counted === 0)
    return total > 0 ? { input_tokens: total, output_tokens: 0 } : undefined;
  // xAI and Gemini count thoughts in the total only
  const thoughts =
    input_tokens > 0 && counted > 0 ? Math.max(total - input_tokens - counted, 0) : 0;
  const output_tokens = counted + thoughts;
  return { input_tokens, output_tokens, ...partsOf(usage, { input_tokens, output_tokens }) };
}

/** Parts of the two counts, as far as the server names them. */
function partsOf(
  usage: Readonly<Record<string, unknown>>,
  { input_tokens, output_tokens }: Usage,
): Partial<Usage> {
  const cached =
    detailOf(usage, INPUT_DETAILS, 'cached_tokens') ?? reported(usage.prompt_cache_hit_tokens);
  const reasoning = detailOf(usage, OUTPUT_DETAILS, 'reasoning_tokens');
  return {
    ...(cached !== undefined && { cached_tokens: Math.min(cached, input_tokens) }),
    ...(reasoning !== undefined && { reasoning_tokens: Math.min(reasoning, output_tokens) }),
  };
}

function detailOf(
  usage: Readonly<Record<string, unknown>>,
  places: readonly string[],
  name: string,
): number | undefined {
  const details = places.map((place) => usage[place]).find(isObject);
  return details && reported(details[name]);
}

function reported(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : tokens(value);
}

function countIn(usage: Readonly<Record<string, unknown>>, names: readonly string[]): number {
  const counts = names.map((name) => tokens(usage[name]));
  return counts.find((count) => count > 0) ?? 0;
}
