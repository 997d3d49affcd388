import { imageBytes } from '../protocol/message.js';
import type { Image, Message } from '../protocol/message.js';

/** Stands for a call where the images are those of the user's message. */
export const OF_MESSAGE = '';

/** Limits on the images of one request; the newest are sent. */
export const MAX_IMAGES = 8;
export const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The images sent with an agent's next request. Older ones are dropped: their results name them.
 */
export class ShownImages {
  /** By call, oldest first. */
  private readonly byCall = new Map<string, readonly Image[]>();

  add(callId: string, images: readonly Image[]): void {
    if (images.length === 0) return;
    this.byCall.set(callId, images);
    for (const oldest of this.byCall.keys()) {
      if (this.fit()) return;
      this.byCall.delete(oldest);
    }
  }

  /** The messages with their images; `asked` is the index of the user's message. */
  addTo(messages: readonly Message[], asked: number): readonly Message[] {
    if (this.byCall.size === 0) return messages;
    return messages.map((message, index) => {
      const call = index === asked ? OF_MESSAGE : callOf(message);
      const images = call === undefined ? undefined : this.byCall.get(call);
      return images ? ({ ...message, images } as Message) : message;
    });
  }

  private fit(): boolean {
    const all = [...this.byCall.values()].flat();
    const bytes = all.reduce((sum, image) => sum + imageBytes(image), 0);
    return all.length <= MAX_IMAGES && bytes <= MAX_BYTES;
  }
}

function callOf(message: Message): string | undefined {
  return message.role === 'tool' ? message.tool_call_id : undefined;
}
