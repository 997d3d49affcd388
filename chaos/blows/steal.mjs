import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../client.mjs';
import { LEASE_MS } from '../times.mjs';

/** One that wakes up within this doesn't know by its own clock that it has lost anything. */
const NAP_MS = LEASE_MS / 2;

/**
 * As if another process had taken everything and died, while all runs go on; more than once, so
 * that those who take over lose it as well.
 */
export async function steal(scene, random) {
  for (let n = random.pick([1, 1, 2]); n > 0; n--) {
    const rows = await stealAll(scene);
    await Promise.all(rows.map((row) => cancelSomewhere(scene, random, row)));
    await delay(random.between(0, LEASE_MS));
  }
}

/**
 * The same while one stands still: it wakes up when others have taken over, and writes on before it
 * has heard of that.
 */
export async function nap(scene, random, place) {
  const resume = scene.fleet.pause(place);
  await stealAll(scene);
  await scene.thefts.taken(NAP_MS);
  resume();
}

async function stealAll(scene) {
  scene.note('steal');
  return scene.thefts.steal();
}

/**
 * A cancel is heard of where it is sent, so somebody who doesn't run an interaction takes it up at
 * once.
 */
async function cancelSomewhere({ fleet }, random, { id, chat_id }) {
  if (random.chance(0.75)) return;
  const url = await fleet.url(random);
  const path = `/chats/${chat_id}/interactions/${id}/cancel`;
  await send(`${url}${path}`, { method: 'POST' }).catch(() => {}); // heard or not
}
