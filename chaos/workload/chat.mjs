import { setTimeout as delay } from 'node:timers/promises';
import { start } from './start.mjs';

const SCENES = {
  plain: [45, plain],
  queue: [15, queue],
  cancel: [15, cancel],
  interrupt: [8, interrupt],
  edit_after: [10, editAfter],
  edit_during: [7, editDuring],
};
const WEIGHTS = Object.fromEntries(
  Object.entries(SCENES).map(([name, [weight]]) => [name, weight]),
);
const MAX_SCENES = 10;

/** Talks in one chat after the other until the world closes. */
export async function keepTalking(world, random) {
  while (!world.isClosing) {
    const chat = world.nextName('chaos-');
    for (let scene = 0; scene < MAX_SCENES && !world.isClosing; scene++) {
      const [, play] = SCENES[random.weighted(WEIGHTS)];
      await play(world, random, chat);
    }
  }
}

async function plain(world, random, chat) {
  const { done } = await start(world, random, { chat });
  await done;
}

async function queue(world, random, chat) {
  const begun = [await start(world, random, { chat })];
  for (let n = random.between(1, 3); n > 0; n--)
    begun.push(await start(world, random, { chat, on_conflict: 'enqueue' }));
  if (random.chance(0.3)) await cancelOne(world, random, begun.at(-1).interaction);
  await Promise.all(begun.map(({ done }) => done));
}

async function cancel(world, random, chat) {
  const { interaction, done } = await start(world, random, { chat });
  await delay(random.between(0, 1_500));
  await cancelOne(world, random, interaction);
  await done;
}

async function interrupt(world, random, chat) {
  const first = await start(world, random, { chat });
  await delay(random.between(0, 800));
  const next = await start(world, random, { chat, on_conflict: 'interrupt' });
  await Promise.all([first.done, next.done]);
}

async function editAfter(world, random, chat) {
  const first = await start(world, random, { chat });
  const second = await start(world, random, { chat, on_conflict: 'enqueue' });
  await Promise.all([first.done, second.done]);
  const edits = random.pick([first, second]).interaction.id;
  const edited = await start(world, random, { chat, edits });
  await edited.done;
}

async function editDuring(world, random, chat) {
  const first = await start(world, random, { chat });
  await delay(random.between(0, 800));
  const edits = first.interaction.id;
  const edited = await start(world, random, { chat, edits, on_conflict: 'interrupt' });
  await Promise.all([first.done, edited.done]);
}

/** Asked once: if nobody answers, it may have been heard or not. */
async function cancelOne(world, random, { id, chat }) {
  const waits = random.chance(0.5);
  const path = `/chats/${chat}/interactions/${id}/cancel${waits ? '?wait=true' : ''}`;
  const answer = await world.try(path, { random, method: 'POST', limit_ms: 20_000 });
  if (!answer) return;
  const { status, body } = answer;
  if (![200, 202, 409].includes(status)) world.fault(`A cancel was answered with ${status}`);
  else world.cancels.push({ id, status, body, at: Date.now() });
}
