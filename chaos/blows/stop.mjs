import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_MS } from '../times.mjs';
import { kill } from './kill.mjs';

/** Is told to stop, and does so in order. */
export async function term(scene, _, place) {
  scene.note('term');
  await scene.fleet.stop(place);
  await scene.fleet.start(place);
}

/** Stands still for longer than its leases; sometimes it never wakes up. */
export async function pause(scene, random, place) {
  scene.note('pause');
  const resume = scene.fleet.pause(place);
  await delay(random.between(LEASE_MS, 3 * LEASE_MS));
  if (random.chance(0.2)) return kill(scene, random, place);
  return resume();
}
