import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { AssistantMessage, Message, ToolMessage } from '../../protocol/message.js';
import { contentParams, imageBlock } from './content-params.js';
import { blocksOf } from './kept-turn.js';

/** One turn of a request: a message whose content is a list of blocks. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

/** Placeholder where the vendor requires a user message. */
const NOTHING_SAID = '(nothing was said)';
const GO_ON = 'Go on.';

/**
 * Converts a conversation to the vendor's format: turns alternate, the first and the last are the
 * user's, none is empty, and all results of a turn's calls come first in the next turn. System
 * messages are left out.
 * @throws AppError `unsupported_content`
 */
export function messageParams(messages: readonly Message[], model: string): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const isModels = message.role === 'assistant';
    addTo(turns, {
      role: isModels ? 'assistant' : 'user',
      content: isModels ? blocksOf(message, model) : userBlocks(message),
    });
  }
  if (turns[0]?.role !== 'user') turns.unshift(userSays(NOTHING_SAID));
  // Most models reject a request that ends with an assistant message (prefill).
  if (turns.at(-1)?.role === 'assistant') turns.push(userSays(GO_ON));
  return turns;
}

/** Merges consecutive turns of the same role. */
function addTo(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (turn.content.length === 0) return;
  if (last?.role === turn.role) last.content.push(...turn.content);
  else turns.push(turn);
}

function userBlocks(message: Exclude<Message, AssistantMessage>): ContentBlockParam[] {
  if (message.role === 'tool') return [resultParam(message)];
  const images = message.role === 'user' ? (message.images ?? []) : [];
  return [...images.map(imageBlock), ...contentParams(message.content)];
}

function resultParam({ tool_call_id, content, images = [] }: ToolMessage): ContentBlockParam {
  const result = { type: 'tool_result', tool_use_id: tool_call_id } as const;
  const isEmpty = content.trim() === '';
  if (images.length === 0) return { ...result, ...(!isEmpty && { content }) };
  const text = isEmpty ? [] : [{ type: 'text' as const, text: content }];
  return { ...result, content: [...text, ...images.map(imageBlock)] };
}

function userSays(text: string): Turn {
  return { role: 'user', content: [{ type: 'text', text }] };
}
