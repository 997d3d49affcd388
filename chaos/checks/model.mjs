/** What a request may take to be seen by the model, in milliseconds. */
const SLACK_MS = 1_000;

/** The model was never sent what a vendor refuses (I8), nor asked for an interaction that was cancelled (I7). */
export function checkModel(world, { chats, logs, model }, { pauses }) {
  const faults = model.violations.map(
    ({ plan, fault }) => `the model was sent, for ${plan}: ${fault}`,
  );
  for (const { interactions } of chats.values())
    for (const { id, user_message } of interactions) {
      const cancelled = logs.get(id).find(({ type }) => type === 'CANCELLED');
      if (!cancelled) continue;
      const plan = world.planOf(user_message)?.name;
      const end = Date.parse(cancelled.at) + SLACK_MS;
      const late = model.requests.filter(
        (request) => request.plan === plan && (request.to ?? Infinity) > end,
      );
      const awake = late.filter(({ server, from }) => !wasPaused(pauses, server, from));
      if (awake.length > 0)
        faults.push(`${id}: the model still worked for it after it was cancelled`);
    }
  return faults;
}

/** A process that stood still can't let go of anything; it was lost. */
function wasPaused(pauses, server, since) {
  return pauses.some((pause) => pause.server === server && pause.to + SLACK_MS > since);
}
