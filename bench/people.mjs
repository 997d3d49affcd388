import { randomUUID } from 'node:crypto';
import { createClient } from '../dist/client/index.js';
import { call } from './call.mjs';
import { summarise } from './percentiles.mjs';
import { portOf } from './port-of.mjs';

/** Starts interactions in new chats, and stays to read none of them. */
export function startAndLeave(job) {
  const { model, interactions, at_once } = job;
  const body = { user_message: 'What is six times seven?', model: `openai/${model}` };
  const chats = Array.from(
    { length: interactions },
    () => `chat_${randomUUID().replaceAll('-', '')}`,
  );
  return eachOf(chats, at_once, async (chat, i) => {
    const port = portOf(job, i);
    const path = `/chats/${chat}/interactions`;
    const { status } = await call({ port, method: 'POST', path, body });
    return status === 202;
  });
}

/** Approves what the inbox told of, and reads each interaction to its end. */
export function approve(job) {
  const { requests, at_once } = job;
  return eachOf(requests, at_once, async ({ id, chat_id, interaction_id }, i) => {
    const client = createClient({ url: `http://127.0.0.1:${portOf(job, i)}` });
    const approval = { approval_id: id, approved: true };
    await client.requests.approve(chat_id, interaction_id, approval);
    let last;
    for await (last of client.follow(chat_id, interaction_id, { give_up_ms: 0 }));
    return last?.status === 'COMPLETED';
  });
}

/** `work` answers whether it went well. Times are from its beginning to its end, of what did. */
async function eachOf(items, atOnce, work) {
  const begun = performance.now();
  const times = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [i, item] of rest) {
      const began = performance.now();
      if (await work(item, i).catch(() => false)) times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return {
    seconds: (performance.now() - begun) / 1000,
    failed: items.length - times.length,
    whole_ms: summarise(times),
  };
}
