import { setTimeout as delay } from 'node:timers/promises';
import { StrictReader } from '../../dist/client/strict-reader.js';
import { openStream } from '../client.mjs';
import { follow, take } from './follow.mjs';

const MODES = { ask: 68, auto: 8, deny: 4, defer: 20 };
const AGENTS = { react: 85, boss: 15 };
const FAILING = 0.05;
const AGAIN_MS = 40;

/**
 * Says something in a chat, as a stream or in the background, and again with the same key until
 * there is an answer. Resolves with the interaction, and `done`: when its readers have all of it.
 */
export async function start(world, random, { chat, edits, on_conflict }) {
  const mode = random.weighted(MODES);
  const plan = world.plan({ chat, edits, mode, fails: random.chance(FAILING) });
  const { path, request } = describe(plan, {
    on_conflict,
    agent: random.weighted(AGENTS),
    turns: random.between(0, 4),
  });
  const begin = random.chance(0.5) ? beginAsStream : beginInBackground;
  const { interaction, readers } = await begin(world, random, { path, request, plan });
  const follows = readers.map((reader, n) =>
    follow(world, random.fork(`${plan.name}/${n}`), interaction, reader),
  );
  return { interaction, done: Promise.all(follows) };
}

function describe({ name, chat, edits, mode, fails }, { on_conflict, agent, turns }) {
  const message = `Plan ${name}: ${turns} turns${fails ? ', then it fails' : ''}`;
  const said = edits ? { new_user_message: message } : { user_message: message };
  const options = { agent, approval_mode: mode, on_disconnect: 'continue', on_conflict };
  const path = `/chats/${chat}/interactions`;
  return {
    path: edits ? `${path}/${edits}/edit` : path,
    request: {
      method: 'POST',
      body: { ...said, ...options },
      headers: { 'idempotency-key': name },
    },
  };
}

async function beginInBackground(world, random, { path, request, plan }) {
  const { status, body } = await world.ask(path, { random, ...request });
  if (status !== 202) throw new Error(`The start of ${plan.name} was answered with ${status}`);
  return { interaction: world.know(body.id, plan), readers: someReaders(random) };
}

/** The stream of the start is the first connection of a reader. */
async function beginAsStream(world, random, { path, request, plan }) {
  const reader = new StrictReader();
  for (;;) {
    const status = await tryStream(world, random, { path, request, plan, reader });
    const [id] = plan.ids;
    if (id) {
      const readers = [reader, ...someReaders(random)];
      return { interaction: world.interactions.get(id), readers };
    }
    if (status >= 400 && status < 500)
      throw new Error(`The start of ${plan.name} was answered with ${status}`);
    await delay(AGAIN_MS);
  }
}

async function tryStream(world, random, { path, request, plan, reader }) {
  const url = await world.fleet.url(random);
  try {
    const { status, frames } = await openStream(`${url}${path}`, request);
    if (status === 200) await take(reader, knowing(frames, world, plan), random);
    return status;
  } catch {
    return undefined; // once more, with the same key, unless it has begun
  }
}

async function* knowing(frames, world, plan) {
  for await (const frame of frames) {
    world.know(frame.data.interaction_id, plan);
    yield frame;
  }
}

function someReaders(random) {
  return Array.from({ length: random.between(1, 2) }, () => new StrictReader());
}
