/** Each chat has what was said in it, once, one after the other, on one branch (I9). */
export function checkChats(world, { chats, logs }) {
  return [...chats].flatMap(([chat, { branch, interactions }]) =>
    [
      ...checkPlans(world, chat, interactions),
      ...checkBranch(branch, interactions),
      ...checkOrder(interactions.map(({ id }) => logs.get(id))),
    ].map((fault) => `${chat}: ${fault}`),
  );
}

/** Whoever had to ask again with the same key did not start it again. */
function checkPlans(world, chat, interactions) {
  const plans = [...world.plans.values()].filter((plan) => plan.chat === chat);
  return plans.flatMap(({ name, ids }) => {
    const own = interactions.filter(
      ({ user_message }) => world.planOf(user_message)?.name === name,
    );
    const isOne = own.length === 1 && ids.size === 1 && ids.has(own[0].id);
    return isOne
      ? []
      : [`${name} was started ${own.length} times, answered with ${[...ids].join()}`];
  });
}

function checkBranch(branch, interactions) {
  const active = new Set(branch.map(({ id }) => id));
  const broken = branch.find(({ parent_id }, at) => parent_id !== (branch[at - 1]?.id ?? null));
  const odd = interactions.find(
    ({ id, superseded_at }) => active.has(id) !== (superseded_at === null),
  );
  return [
    ...(broken ? [`${broken.id} doesn't go on from the one before`] : []),
    ...(odd ? [`${odd.id} says of itself that it is off the branch, or on it`] : []),
  ];
}

/**
 * From the second record on, which only the run writes: the first may have waited for its place.
 * What was cancelled before that never ran.
 */
function checkOrder(logs) {
  const spans = logs
    .filter(([, second]) => second && second.type !== 'CANCELLED')
    .map((log) => ({ id: log[0].interaction_id, from: log[1].at, to: log.at(-1).at }))
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return spans.slice(1).flatMap(({ id, from }, at) => {
    const before = spans[at];
    return from < before.to ? [`${id} went on at ${from}, before ${before.id} had ended`] : [];
  });
}
