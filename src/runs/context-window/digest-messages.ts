import { createHash } from 'node:crypto';
import type { Message } from '../../protocol/message.js';

/** Tells beginnings of conversations apart, by what a model would read of them. */
export function digestMessages(messages: readonly Message[]): string {
  const hash = createHash('sha256');
  for (const message of messages) hash.update(`${JSON.stringify(essence(message))}\n`);
  return hash.digest('base64url');
}

/** In an order of its own: what was saved and read again may name its fields in another. */
function essence(message: Message): unknown[] {
  const { role, content } = message;
  switch (message.role) {
    case 'tool':
      return [role, content, message.tool_call_id];
    case 'assistant': {
      const calls = message.tool_calls ?? [];
      return [role, content, ...calls.map(({ id, function: fn }) => [id, fn.name, fn.arguments])];
    }
    case 'system':
    case 'user':
      return [role, content];
  }
}
