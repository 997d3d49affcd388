import type { Message } from '../../protocol/message.js';

/** Where a conversation may be cut: each message but results of tools, which belong to the message that calls them. */
export function unitStarts(messages: readonly Message[]): readonly number[] {
  return messages.flatMap(({ role }, at) => (role === 'tool' ? [] : [at]));
}
