import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Replies to requests of a server that may be on their way at once. */
const MAX_REPLIES = 100;
/** In characters. */
const MAX_ID = 1_000;

/**
 * Sends the messages of one connection. A server may ask faster than it reads the replies: those
 * beyond the limit are not sent, nor is one with an id that is too long.
 */
export class ReplyLimit {
  private waiting = 0;

  async send(message: JSONRPCMessage, send: () => Promise<void>): Promise<void> {
    if ('method' in message) return send();
    if (this.waiting >= MAX_REPLIES || String(message.id).length > MAX_ID) return;
    this.waiting++;
    try {
      await send();
    } finally {
      this.waiting--;
    }
  }
}
