import type { ModelRequest } from '../../models/model-provider.js';
import type { Message } from '../../protocol/message.js';

/** UTF-8 bytes of a token, roughly: of English text somewhat more, of code somewhat less; a character of Chinese has three. */
const BYTES_PER_TOKEN = 4;
/** Of an image, whatever its size: vendors scale large ones down to about that. */
const IMAGE = 1_600;
/** What stands around a message, or a call. */
const AROUND = 4;

/** Cheap, and wrong by a third at times: `TokenScale` corrects it. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function messageTokens(message: Message): number {
  const tokens = AROUND + textTokens(message.content ?? '');
  if (message.role === 'tool') return tokens + IMAGE * (message.images?.length ?? 0);
  if (message.role !== 'assistant') return tokens;
  const { tool_calls = [], provider_data } = message;
  const calls = tool_calls.map(
    ({ id, function: fn }) => AROUND + textTokens(id + fn.name + fn.arguments),
  );
  return tokens + sum(calls) + (provider_data ? textTokens(JSON.stringify(provider_data)) : 0);
}

/** What a request has besides its messages. */
export function fixedTokens({
  instructions = '',
  tools = [],
  schema,
}: Pick<ModelRequest, 'instructions' | 'tools' | 'schema'>): number {
  const rest = `${instructions}${JSON.stringify(tools)}${schema ? JSON.stringify(schema) : ''}`;
  return AROUND + textTokens(rest);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
