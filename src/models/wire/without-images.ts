import type { Message } from '../../protocol/message.js';

const BLIND =
  '[The model in use can’t see images, so it is only named here. Ask the user what is on it, or examine it with tools.]';

/** The messages for a model that can't see: it is told so where there is something to be seen. */
export function withoutImages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    if (message.role !== 'tool' || !message.images) return message;
    const { images: _, ...rest } = message;
    return { ...rest, content: `${message.content}\n${BLIND}` };
  });
}
