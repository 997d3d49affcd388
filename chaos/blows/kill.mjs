import { setTimeout as delay } from 'node:timers/promises';

/** How long it takes at most until somebody begins something. */
const EFFECT_MS = 4_000;
/** Much longer than it takes to see an effect. */
const ON_ITS_WAY_MS = 60;

export async function kill(scene, random, place) {
  await end(scene, place);
  await delay(random.between(0, 500));
  await scene.fleet.start(place);
}

/** One right after the other: nobody is left for a moment. */
export async function both(scene, random, ...places) {
  for (const place of places) {
    await end(scene, place);
    await delay(random.between(0, 150));
  }
  await scene.fleet.startAll();
}

/** Again while it starts, or right after that. */
export async function early(scene, random, place) {
  await end(scene, place);
  const started = scene.fleet.start(place);
  await delay(random.between(50, 1_200));
  await end(scene, place);
  await started;
  await scene.fleet.start(place);
}

/**
 * The moment a tool of its begins: where there is a way to its database, what it has just sent
 * never arrives there.
 */
export async function strike(scene, random, place) {
  const { fleet, tail } = scene;
  const gate = fleet.gate(place);
  gate?.slow(ON_ITS_WAY_MS);
  await tail.next(fleet.pid(place), EFFECT_MS * fleet.slowness);
  await end(scene, place);
  gate?.open().lose();
  await fleet.start(place);
}

export async function end(scene, place) {
  scene.note('kill');
  await scene.fleet.kill(place);
}
