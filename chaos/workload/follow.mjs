import { setTimeout as delay } from 'node:timers/promises';
import { StrictReader } from '../../dist/client/strict-reader.js';
import { openStream } from '../client.mjs';

const AGAIN_MS = 30;
/** A reader leaves after about so many frames. */
const STAY = 60;

/** A reader that leaves and comes back, wherever, until it has the whole interaction. */
export async function follow(world, random, interaction, reader = new StrictReader()) {
  const { id, chat } = interaction;
  interaction.readers.push(reader);
  while (!reader.done && !world.isOver) {
    const url = await world.fleet.url(random);
    const headers = { 'last-event-id': reader.cursor };
    try {
      const path = `/chats/${chat}/interactions/${id}/events`;
      const { status, frames } = await openStream(`${url}${path}`, { headers });
      if (status === 204) reader.fault(`there is no more after ${reader.cursor}`);
      if (status >= 400 && status < 500) reader.fault(`was answered with ${status}`);
      if (reader.faults.length === 0) await take(reader, frames, random);
    } catch {
      // Whoever it was connected to is gone, or stands still.
    }
    if (reader.faults.length > 0) return;
    await delay(random.between(0, AGAIN_MS));
  }
}

/** Reads for a while. */
export async function take(reader, frames, random) {
  let left = random.between(1, 2 * STAY);
  for await (const frame of frames) {
    reader.read(frame);
    if (reader.faults.length > 0 || left-- === 0) return;
  }
}
