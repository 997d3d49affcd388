import { call } from '../call.mjs';

const ROUNDS = 5;

/**
 * Times what changes large chats: messages in a chat of many interactions, the first of which may
 * summarise it, an edit of its first interaction, the way back, and the deletion of a long log.
 */
export async function timeChanges(server, { long, first, busy }, report) {
  const ofLong = `/chats/${long.chat_id}`;
  const timed = (name, request, rounds = 1) =>
    timeRounds(server, { name, request, rounds }, report);
  await timed('message in a new chat', say('/chats/new/interactions'), ROUNDS);
  await timed('first message in the long chat', say(`${ofLong}/interactions`));
  await timed('next message in the long chat', say(`${ofLong}/interactions`), ROUNDS);
  const { text } = await call({ port: server.port, path: `${ofLong}?limit=1` });
  const head_interaction_id = JSON.parse(text).interactions.at(-1).id;
  await timed('edit of its first', edit(`${ofLong}/interactions/${first.id}/edit`));
  await timed('switch back', { path: ofLong, method: 'PATCH', body: { head_interaction_id } });
  await timed('DELETE of a long log', { path: `/chats/${busy.chat_id}`, method: 'DELETE' });
  await timed('GET /chats just after', { path: '/chats?limit=1' }, ROUNDS);
  await timed('DELETE of the long chat', { path: ofLong, method: 'DELETE' });
  await timed('GET /chats just after', { path: '/chats?limit=1' }, ROUNDS);
}

function say(path) {
  return post(path, { user_message: 'Go on' });
}

function edit(path) {
  return post(path, { new_user_message: 'Go on' });
}

function post(path, body) {
  return { path, method: 'POST', body, accept: 'text/event-stream' };
}

async function timeRounds(server, { name, request, rounds }, report) {
  await server.memory();
  const all = [];
  let answer;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    answer = await call({ port: server.port, ...request });
    all.push(performance.now() - begun);
  }
  const ms = all.toSorted((a, b) => a - b)[rounds >> 1];
  const { stall_ms, cpu_ms } = await server.memory();
  const mb = answer.text.length / 1e6;
  report({ name, ms, mb, status: answer.status, stall_ms, cpu_ms: cpu_ms / rounds });
}
