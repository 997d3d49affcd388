import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 200;
const ACTIVE = new Set(['RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT']);

/** Looks at one chat after the other: never is more than one interaction active (I9). */
export async function watchChats(world, random) {
  while (!world.isOver) {
    await delay(LOOK_MS);
    const chats = [...new Set([...world.plans.values()].map(({ chat }) => chat))].slice(-6);
    if (chats.length === 0) continue;
    const chat = random.pick(chats);
    const answer = await world.try(`/chats/${chat}?include=superseded&limit=20`, { random });
    const active = answer?.body.interactions?.filter(({ status }) => ACTIVE.has(status)) ?? [];
    if (active.length > 1)
      world.fault(`${chat} has ${active.length} active: ${active.map(({ id }) => id).join()}`);
  }
}
