import type { Message } from '../../protocol/message.js';

/** A message as an agent's code gets it: it says what the log says, and nobody changes it but the log. */
export function freezeMessage<M extends Message>(message: M): M {
  if (message.role === 'assistant') {
    for (const call of message.tool_calls ?? []) {
      Object.freeze(call.function);
      Object.freeze(call);
    }
    Object.freeze(message.tool_calls);
  }
  return Object.freeze(message);
}
