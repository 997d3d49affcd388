import type { ModelRequest } from '../../models/model-provider.js';

export function showsImages({ messages }: ModelRequest): boolean {
  return messages.some((message) => 'images' in message && message.images !== undefined);
}

/** The same, with the words of its results alone. */
export function withoutImages(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message) => {
    if (!('images' in message)) return message;
    const { images: _, ...rest } = message;
    return rest;
  });
  return { ...request, messages };
}
