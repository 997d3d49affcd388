import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 150;
/** Who was heard by nobody says it again after this. */
const PATIENCE_MS = 2_500;

/**
 * Looks into the inbox now and then and settles what is there, in a race with everybody else who
 * does so.
 */
export async function settleRequests(world, random) {
  const told = new Map();
  while (!world.isOver) {
    await delay(random.between(LOOK_MS / 2, LOOK_MS * 2));
    const answer = await world.try('/requests?status=pending&limit=200', { random });
    for (const request of answer?.body.items ?? []) {
      if (Date.now() - (told.get(request.id) ?? 0) < PATIENCE_MS) continue;
      told.set(request.id, Date.now());
      void settle(world, random, request);
    }
  }
}

/** After a while; sometimes twice at once. */
async function settle(world, random, request) {
  const times = random.chance(0.3) ? 2 : 1;
  await delay(random.between(0, 700));
  const act = request.kind === 'approval' ? decide : respond;
  await Promise.all(Array.from({ length: times }, () => act(world, random, request)));
}

async function decide(world, random, { id, tool_input, ...of }) {
  const approved = random.chance(0.7);
  const modifies = approved && random.chance(0.3);
  const decision = {
    approval_id: id,
    approved,
    reason: world.nextName('d'),
    ...(modifies && { modified_input: modify(tool_input, random) }),
  };
  const attempt = { ...decision, status: undefined };
  world.decisions.push(attempt);
  attempt.status = await tell(world, random, { of, action: 'approve', body: decision });
}

/** Now and then into something that the tool doesn't take. */
function modify(tool_input, random) {
  const { token, ms } = JSON.parse(tool_input);
  if (random.chance(0.15)) return { token };
  return { token: `${token}-modified-${random.between(0, 1e6)}`, ms };
}

async function respond(world, random, { id: request_id, ...of }) {
  const answer = random.chance(0.1) ? null : world.nextName('a');
  const attempt = { request_id, answer, status: undefined };
  world.answers.push(attempt);
  attempt.status = await tell(world, random, {
    of,
    action: 'respond',
    body: { request_id, answer },
  });
}

/** Answers the status; undefined when it isn't known what came of it. */
async function tell(world, random, { of: { chat_id, interaction_id }, action, body }) {
  const path = `/chats/${chat_id}/interactions/${interaction_id}/${action}`;
  const { status } = (await world.try(path, { random, method: 'POST', body })) ?? {};
  if (![200, 400, undefined].includes(status)) world.fault(`${action} was answered with ${status}`);
  return status;
}
