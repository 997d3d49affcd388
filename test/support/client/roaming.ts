import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, Body } from './api-client.js';
import { EventReader } from './event-reader.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type InteractionRef = Pick<Interaction, 'chat_id' | 'id'>;

/** As `retry:` of a stream says, only sooner. */
const RETRY_MS = 100;

/**
 * A client of several servers that goes to the next one whenever one doesn't answer, or breaks off.
 */
export class Roaming {
  private asked = 0;

  /** @param servers those that there are now, which may have other addresses each time */
  constructor(private readonly servers: () => readonly ApiClient[]) {}

  /** Starts an interaction, once, however often that takes. */
  async begin(chat: string, body: Body): Promise<Interaction> {
    for (;;) {
      try {
        return await this.next().begin(chat, body, { 'idempotency-key': `${chat}-begins` });
      } catch {
        await delay(RETRY_MS); // it stops, or is gone
      }
    }
  }

  /** Reads to the end, from the cursor on where another one broke off. */
  async follow(of: InteractionRef, reader = new EventReader()): Promise<EventReader> {
    while (!reader.done) {
      try {
        const stream = await this.next().events(of, reader.cursor);
        if (stream.status === 200) await reader.readAll(stream);
        else await stream.response.body?.cancel();
      } catch {
        // The connection broke.
      }
      if (!reader.done) await delay(RETRY_MS);
    }
    return reader;
  }

  /** Approves whatever is asked, wherever somebody answers, until told to stop. */
  async approveAll(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await delay(RETRY_MS)) {
      try {
        const { body } = await this.next().get('/requests?status=pending');
        for (const { id, chat_id, interaction_id } of body.items) {
          const path = `/chats/${chat_id}/interactions/${interaction_id}/approve`;
          await this.next().post(path, { approval_id: id, approved: true });
        }
      } catch {
        // It stops, or is gone.
      }
    }
  }

  private next(): ApiClient {
    const servers = this.servers();
    return servers[this.asked++ % servers.length]!;
  }
}
