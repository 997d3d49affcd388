import { isObject } from '../../kernel/json/json.js';
import { addTokens } from '../../protocol/interaction.js';
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
  const prompt = countIn(usage, INPUT);
  const counted = countIn(usage, OUTPUT);
  const total = tokens(usage.total_tokens);
  if (prompt + counted === 0)
    return total > 0 ? { input_tokens: total, output_tokens: 0 } : undefined;
  const { cached, written } = cacheIn(usage);
  const beside = besidePrompt(addTokens(cached ?? 0, written ?? 0), { prompt, counted, total });
  const input_tokens = addTokens(prompt, beside);
  // xAI and Gemini count thoughts in the total only
  const thoughts = prompt > 0 && counted > 0 ? Math.max(total - input_tokens - counted, 0) : 0;
  const output_tokens = counted + thoughts;
  const reasoning = detailOf(usage, OUTPUT_DETAILS, ['reasoning_tokens']);
  return {
    ...{ input_tokens, output_tokens },
    ...(cached !== undefined && { cached_tokens: cached }),
    ...(written !== undefined && { cache_write_tokens: written }),
    ...(reasoning !== undefined && { reasoning_tokens: Math.min(reasoning, output_tokens) }),
  };
}

/** Tokens that were read from the cache and written to it, where the server tells them. */
interface Cache {
  readonly cached: number | undefined;
  readonly written: number | undefined;
}

function cacheIn(usage: Readonly<Record<string, unknown>>): Cache {
  const cached =
    detailOf(usage, INPUT_DETAILS, ['cached_tokens']) ??
    reported(usage.prompt_cache_hit_tokens) ??
    reported(usage.cache_read_input_tokens);
  const written =
    detailOf(usage, INPUT_DETAILS, ['cache_write_tokens', 'cache_creation_tokens']) ??
    reported(usage.cache_creation_input_tokens);
  return { cached, written };
}

/**
 * Tokens of the cache that the prompt does not include: some gateways count as Anthropic does. The
 * total shows it, or a prompt that has fewer.
 */
function besidePrompt(
  cache: number,
  { prompt, counted, total }: Readonly<Record<'prompt' | 'counted' | 'total', number>>,
): number {
  return cache > prompt || total === prompt + counted + cache ? cache : 0;
}

function detailOf(
  usage: Readonly<Record<string, unknown>>,
  places: readonly string[],
  names: readonly string[],
): number | undefined {
  const details = places.map((place) => usage[place]).find(isObject);
  return (
    details && names.map((name) => reported(details[name])).find((count) => count !== undefined)
  );
}

function reported(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : tokens(value);
}

function countIn(usage: Readonly<Record<string, unknown>>, names: readonly string[]): number {
  const counts = names.map((name) => tokens(usage[name]));
  return counts.find((count) => count > 0) ?? 0;
}
