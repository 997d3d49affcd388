import type { AssistantMessage, ToolCall } from '../../protocol/message.js';
import { keepTurn } from './kept-turn.js';
import type { CallBlock, TurnBlock } from './turn-block.js';

/** A turn as a message of the conversation. `model`: the name that was asked for. */
export function messageOf(blocks: readonly TurnBlock[], model: string): AssistantMessage {
  const text = blocks.map((block) => (block.kind === 'text' ? block.text.text : '')).join('');
  const tool_calls = blocks.flatMap((block) => (block.kind === 'call' ? [toolCall(block)] : []));
  const provider_data = keepTurn(blocks, model);
  return {
    role: 'assistant',
    content: tool_calls.length > 0 ? text || null : text,
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(provider_data && { provider_data }),
  };
}

function toolCall({ id, name, json }: CallBlock): ToolCall {
  return { id, type: 'function', function: { name, arguments: json.text } };
}
