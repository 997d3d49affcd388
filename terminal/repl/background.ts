import type { Client } from '../../client/index.js';
import { titleOf } from '../chat/chat-settings.js';

/** Chats that go on without being shown: says when one ends, or waits for a person. */
export class Background {
  private readonly chats = new Set<string>();
  private readonly stop = new AbortController();
  private isReading = false;

  constructor(
    private readonly client: Client,
    private readonly say: (text: string) => void,
  ) {}

  get size(): number {
    return this.chats.size;
  }

  add(chatId: string): void {
    this.chats.add(chatId);
    if (this.isReading) return;
    this.isReading = true;
    void this.read().catch(() => (this.isReading = false));
  }

  close(): void {
    this.stop.abort();
  }

  /** It is shown again. */
  remove(chatId: string): void {
    this.chats.delete(chatId);
  }

  private async read(): Promise<void> {
    for await (const event of this.client.feed({ signal: this.stop.signal })) {
      if (event.type === 'REQUEST_OPENED' && this.chats.has(event.request.chat_id))
        this.say(`${event.request.chat_id} waits for you: /chats ${event.request.chat_id}`);
      const chats =
        event.type === 'FEED_STATE'
          ? event.chats
          : event.type === 'CHAT_UPDATED'
            ? [event.chat]
            : [];
      for (const chat of chats) {
        if (!chat) continue;
        const isOver = /^(?:COMPLETED|FAILED|CANCELLED)$/.test(chat.status ?? '');
        if (!isOver || !this.chats.delete(chat.id)) continue;
        this.say(`${titleOf(chat)}: ${chat.status!.toLowerCase()}. /chats ${chat.id} shows it.`);
      }
    }
  }
}
