import type { Interaction } from '../../src/protocol/interaction.js';
import type { ApiClient } from './api-client.js';
import { EventReader } from './event-reader.js';
import type { SseFrame } from './sse-frame.js';

/** Readers of an interaction that has ended, one for each of these frames: it lost the connection there, and came back for the rest. */
export async function resumeAfterEach(
  api: ApiClient,
  of: Pick<Interaction, 'chat_id' | 'id'>,
  frames: readonly SseFrame[],
): Promise<EventReader[]> {
  const readers: EventReader[] = [];
  for (const cut of frames.keys()) {
    const reader = await new EventReader().readAll(frames.slice(0, cut + 1));
    readers.push(reader.done ? reader : await api.follow(of, undefined, reader));
  }
  return readers;
}
