const SHOWN = 40;

/** What happened, for people. */
export function report({ options, killer, world, outcome, found, seconds }) {
  const { kill, term, pause, starve, steal, sever, hush, flush } = killer.counts;
  const records = [...outcome.logs.values()].reduce((sum, log) => sum + log.length, 0);
  const readers = [...world.interactions.values()].flatMap((interaction) => interaction.readers);
  const characters = readers.reduce((sum, reader) => sum + reader.characters, 0);
  const settled = [...world.decisions, ...world.answers].filter(
    ({ status }) => status === 200,
  ).length;
  return [
    `chaos on ${options.cluster ? 'a cluster' : options.store}, seed ${options.seed}, ${seconds.toFixed(0)} s`,
    `kills ${kill}, stops ${term}, pauses ${pause}, starved ${starve}, stolen leases ${steal}`,
    ...(options.cluster ? [`Redis cut off ${sever}, hushed ${hush}, emptied ${flush}`] : []),
    `interactions ${outcome.logs.size} (${countStatuses(outcome)}), records ${records}`,
    `readers ${readers.length}, characters ${characters}, effects ${outcome.effects.length}, requests settled ${settled}`,
    ...found.slice(0, SHOWN).map((fault) => `VIOLATION ${fault}`),
    ...(found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : []),
    `violations ${found.length}`,
  ].join('\n');
}

function countStatuses({ chats }) {
  const counts = {};
  for (const { interactions } of chats.values())
    for (const { status } of interactions) counts[status] = (counts[status] ?? 0) + 1;
  return Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
}
