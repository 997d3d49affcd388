import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_MS } from '../times.mjs';
import { end } from './kill.mjs';

/** Shorter than a lease; longer; and longer than a record waits to be saved. */
const WEIGHTS = { short: 60, long: 30, longest: 10 };
const SPANS = {
  short: [200, 1_200],
  long: [LEASE_MS, 3 * LEASE_MS],
  longest: [5_500, 8_000],
};

/**
 * Nothing that it writes arrives at the database. A tool that begins all the same is what the kill
 * waits for: it may not, before the database has heard of it. What was on its way arrives late,
 * when another may have taken over, or never.
 */
export async function starve(scene, random, place) {
  scene.note('starve');
  const { fleet, tail } = scene;
  const span = SPANS[random.weighted(WEIGHTS)];
  const kills = random.chance(0.4);
  const isLost = random.chance(0.5);
  const gate = fleet.gate(place);
  gate.shut();
  const effect = await tail.next(fleet.pid(place), random.between(...span));
  if (!effect && !kills) return gate.open().arrive();
  await end(scene, place);
  const sent = gate.open();
  if (effect || isLost) sent.lose();
  else void delay(random.between(0, 3_000)).then(sent.arrive);
  await fleet.start(place);
}
