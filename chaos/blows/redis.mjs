import { setTimeout as delay } from 'node:timers/promises';
import { kill } from './kill.mjs';

/** Shorter than a command waits for its answer; and longer than that and a lease. */
const WEIGHTS = { short: 70, long: 30 };
const SPANS = { short: [200, 2_000], long: [3_200, 5_000] };
const KILLED = 0.25;

/** One has no Redis any more: its connections break, and it gets no others for a while. */
export async function sever(scene, random, place) {
  await scene.without(place, 'sever', (gate) => {
    gate.bar();
    return wait(scene, random, place);
  });
}

/**
 * Its connections stay, and for a while nothing gets through: neither breaks nor answers tell it
 * so.
 */
export async function hush(scene, random, place) {
  await scene.without(place, 'hush', async (gate) => {
    if (random.chance(0.5)) gate.shut();
    else gate.mute();
    const isGone = await wait(scene, random, place);
    const sent = gate.open();
    if (isGone || random.chance(0.5)) sent.lose();
    else sent.arrive();
  });
}

/** Redis forgets everything, in the middle of what everybody says. */
export async function flush(scene) {
  await scene.flush();
}

/** Answers whether it was killed meanwhile: then it starts without Redis. */
async function wait(scene, random, place) {
  await delay(random.between(...SPANS[random.weighted(WEIGHTS)]));
  if (!random.chance(KILLED)) return false;
  await kill(scene, random, place);
  return true;
}
