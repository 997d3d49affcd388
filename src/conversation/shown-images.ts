import { imageBytes } from '../protocol/image.js';
import type { Image } from '../protocol/image.js';
import type { Message } from '../protocol/message.js';

/** Limits on the images of one request; the newest are sent. */
const MAX_IMAGES = 8;
const MAX_BYTES = 4 * 1024 * 1024;

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

  /** The messages, those of tools with their images. */
  addTo(messages: readonly Message[]): readonly Message[] {
    if (this.byCall.size === 0) return messages;
    return messages.map((message) => {
      const images = message.role === 'tool' ? this.byCall.get(message.tool_call_id) : undefined;
      return images ? { ...message, images } : message;
    });
  }

  private fit(): boolean {
    const all = [...this.byCall.values()].flat();
    const bytes = all.reduce((sum, image) => sum + imageBytes(image), 0);
    return all.length <= MAX_IMAGES && bytes <= MAX_BYTES;
  }
}
