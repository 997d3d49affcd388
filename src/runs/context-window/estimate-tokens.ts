import { rememberPerObject } from '../../kernel/remember-per-object.js';
import type { ModelRequest, ModelTool } from '../../models/model-provider.js';
import type { Usage } from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';

/**
 * Approximate UTF-8 bytes per token: somewhat more for English text, somewhat less for code; a
 * Chinese character has three.
 */
const BYTES_PER_TOKEN = 4;
/** Tokens of an image of any size: vendors scale large ones down to about this. */
const IMAGE = 1_600;
/** Token overhead of a message or of a call. */
const AROUND = 4;

/** Fast, but sometimes wrong by a third: `TokenScale` corrects it. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Each turn asks again for all messages of the conversation. */
export const messageTokens = rememberPerObject((message: Message): number => {
  const tokens = AROUND + textTokens(message.content ?? '');
  if (message.role === 'system') return tokens;
  if (message.role !== 'assistant') return tokens + IMAGE * (message.images?.length ?? 0);
  const { tool_calls = [], provider_data } = message;
  const calls = tool_calls.map(
    ({ id, function: fn }) => AROUND + textTokens(id + fn.name + fn.arguments),
  );
  return tokens + sum(calls) + (provider_data ? textTokens(JSON.stringify(provider_data)) : 0);
});

/** Definitions are the same objects in each turn of every interaction. */
const toolTokens = rememberPerObject((tool: ModelTool) => textTokens(JSON.stringify(tool)));

/** Tokens of a request besides its messages. */
export function fixedTokens({
  instructions = '',
  tools = [],
  schema,
}: Pick<ModelRequest, 'instructions' | 'tools' | 'schema'>): number {
  const rest = `${instructions}${schema ? JSON.stringify(schema) : ''}`;
  return AROUND + textTokens(rest) + sum(tools.map(toolTokens));
}

/** Vendors that limit tools take as many; others may be left out. */
const CERTAIN_TOOLS = 64;

/**
 * Tokens that every model is sent and counts: the text alone, since servers differ in how they
 * count images, and may drop thoughts.
 */
export function certainTokens({ messages, tools = [], ...rest }: ModelRequest): number {
  const fixed = fixedTokens({ ...rest, tools: tools.slice(0, CERTAIN_TOOLS) });
  return fixed + sum(messages.map((message) => messageTokens(plain(message))));
}

function plain(message: Message): Message {
  switch (message.role) {
    case 'assistant': {
      const { provider_data: _, ...text } = message;
      return text;
    }
    case 'user':
    case 'tool': {
      const { images: _, ...text } = message;
      return text;
    }
    case 'system':
      return message;
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Smaller requests are not representative: the provider's own overhead would dominate. */
const MIN_ESTIMATE = 500;
const MIN_SCALE = 0.75;
const MAX_SCALE = 3;
/** No server has a smaller window by default; a smaller count has another reason. */
const MIN_WINDOW = 2_048;
/** A smaller share of an estimate can't be the density of a text. */
const MIN_SHARE = 0.5;

/**
 * True for the count of a prompt that the server has cut. With a cache in use, some servers count
 * only the rest of the prompt.
 */
export function isCut({ input_tokens, cached_tokens = 0 }: Usage, estimate: number): boolean {
  if (input_tokens < MIN_WINDOW || cached_tokens > 0) return false;
  return input_tokens < estimate * MIN_SHARE;
}

/** Correction of estimates by the usage that models report: a fold over the log. */
export class TokenScale {
  private readonly scales = new Map<string, number>();

  apply({ agent_id, body, hidden }: Pick<LogRecord, 'agent_id' | 'body' | 'hidden'>): void {
    if (body.type !== 'TURN_COMPLETED' || body.usage_estimated) return;
    const estimated_tokens =
      (hidden && 'in_conversation' in hidden && hidden.estimated_tokens) || 0;
    const { input_tokens } = body.usage;
    if (estimated_tokens < MIN_ESTIMATE || input_tokens === 0) return;
    if (isCut(body.usage, estimated_tokens)) return;
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, input_tokens / estimated_tokens));
    this.scales.set(keyOf(agent_id, body.model), scale);
  }

  /** Factor by which estimates are corrected. */
  of(agentId: string, model: string): number {
    return this.scales.get(keyOf(agentId, model)) ?? 1;
  }
}

function keyOf(agentId: string, model: string): string {
  return `${agentId} ${model}`;
}
