import { isDeepStrictEqual } from 'node:util';

const ENDS = { COMPLETED: [], CANCELLED: ['CANCELLED'], FAILED: ['ERROR'] };
const SHOWN = new Set(['TOOL_CALL', 'TOOL_RESULT', 'THINKING', 'MESSAGE', 'ANSWER']);

/**
 * Each log has a beginning and one end, the status says which, and each call has one result (I3,
 * I8).
 */
export function checkLogs(world, { chats, logs }) {
  return [...chats.values()].flatMap(({ interactions }) =>
    interactions.flatMap((interaction) => {
      const { id, user_message } = interaction;
      const log = logs.get(id);
      const fails = world.planOf(user_message)?.fails;
      const faults = [...faultsOf(interaction, log), ...outcomeFaults(interaction, { log, fails })];
      return faults.map((fault) => `${id}: ${fault}`);
    }),
  );
}

function faultsOf(interaction, log) {
  if (log.length === 0) return [`it is ${interaction.status}, and its log is empty`];
  const { status } = interaction;
  const types = log.map(({ type }) => type);
  const ends = log.filter(({ type }) => type === 'INTERACTION_COMPLETE');
  const shown = log.filter(({ type }) => SHOWN.has(type));
  return [
    ...unless(
      log.every(({ seq }, at) => seq === at + 1),
      'its log has a gap',
    ),
    ...unless(types[0] === 'INTERACTION_STARTED', `its log begins with ${types[0]}`),
    ...unless(ends.length === 1 && types.at(-1) === 'INTERACTION_COMPLETE', 'it has no end'),
    ...unless(ends[0]?.status === status, `it ended ${ends[0]?.status} and says ${status}`),
    ...unless(interaction.last_seq === log.length, `its last_seq is not ${log.length}`),
    ...unless(isDeepStrictEqual(interaction.agent_events, shown), 'its agent_events are others'),
    ...unless(
      (ENDS[status] ?? []).every((type) => types.includes(type)),
      `it is ${status}, unsaid`,
    ),
    ...callFaults(log),
  ];
}

/** What fails is what was asked to: nothing is given up, however often we kill its server. */
function outcomeFaults({ status, error }, { log, fails }) {
  if (status === 'COMPLETED') return fails ? ['it went well, and was to fail'] : [];
  if (status !== 'FAILED') return [];
  const [{ agent_id: root }] = log;
  const failed = log.findLast(
    ({ type, agent_id }) => type === 'TURN_COMPLETED' && agent_id === root,
  )?.error;
  const isWanted = fails && failed !== undefined && isDeepStrictEqual(error, failed);
  return isWanted ? [] : [`it failed: ${error?.message}`];
}

function callFaults(log) {
  const results = log.filter(({ type }) => type === 'TOOL_RESULT');
  const calls = log.filter(({ type }) => type === 'TOOL_CALL');
  return calls.flatMap((call) => {
    const { length } = results.filter(({ id }) => id === call.id);
    return unless(length === 1, `the call ${call.id} has ${length} results`);
  });
}

function unless(holds, fault) {
  return holds ? [] : [fault];
}
