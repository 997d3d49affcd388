import { LEASE_MS } from '../times.mjs';

/** What a request may take to be seen by the model, in milliseconds. */
const SLACK_MS = 1_000;

/**
 * The model was never sent what a vendor refuses (I8), nor asked for what was cancelled, an
 * interaction or one of its agents (I7).
 */
export function checkModel(world, { chats, logs, model, pauses, losses }) {
  const faults = model.violations.map(
    ({ plan, fault }) => `the model was sent, for ${plan}: ${fault}`,
  );
  for (const { interactions } of chats.values())
    for (const { id, user_message } of interactions)
      for (const { plan, at } of endsOf(logs.get(id), world.planOf(user_message)?.name)) {
        const end = at + SLACK_MS + model.lag_ms + (wasStolen(losses, at) ? LEASE_MS : 0);
        const late = model.requests.filter(
          (request) => isOf(request, plan) && (request.to ?? Infinity) > end,
        );
        const awake = late.filter(({ server, from }) => !wasPaused(pauses, server, from));
        if (awake.length > 0)
          faults.push(`${id}: the model still worked for ${plan} after that was cancelled`);
      }
  return faults;
}

/** What was cancelled, by the names of plans, and when. */
function endsOf(log, plan) {
  const prompts = new Map();
  return log.flatMap(({ type, agent_id, prompt, status, at }) => {
    if (type === 'AGENT_STARTED') prompts.set(agent_id, /^Plan (\S+):/.exec(prompt)[1]);
    if (type === 'CANCELLED') return [{ plan, at: Date.parse(at) }];
    const isStopped = type === 'AGENT_COMPLETED' && status === 'cancelled';
    return isStopped ? [{ plan: prompts.get(agent_id), at: Date.parse(at) }] : [];
  });
}

/** Agents have plans of their own, below those of their parents. */
function isOf(request, plan) {
  return request.plan === plan || request.plan.startsWith(`${plan}.`);
}

/** A process that stood still can't let go of anything; it was lost. */
function wasPaused(pauses, server, since) {
  return pauses.some((pause) => pause.server === server && pause.to + SLACK_MS > since);
}

/** A run whose lease was taken from it hears of that when it renews it. */
function wasStolen(losses, at) {
  return losses.some(
    (loss) =>
      (loss.what === 'steal' || loss.what === 'starve') && Math.abs(loss.at - at) < 8 * LEASE_MS,
  );
}
