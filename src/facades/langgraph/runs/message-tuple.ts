import type { MessageChange } from '../messages/agent-messages.js';

/** A part of a message, which clients add to what they have of its id. */
export function messageTuple(change: MessageChange): object {
  if (change.kind === 'result') return change.message;
  const chunk = { type: 'AIMessageChunk', id: change.message_id, content: '' };
  if (change.kind !== 'call')
    return change.kind === 'text'
      ? { ...chunk, content: change.delta }
      : { ...chunk, additional_kwargs: { reasoning_content: change.delta } };
  const { id, name, input: args } = change.call;
  const call = { type: 'tool_call_chunk', id, name, args, index: change.index };
  return { ...chunk, tool_call_chunks: [call] };
}
