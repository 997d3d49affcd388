import { isDeepStrictEqual } from 'node:util';
import { LEASE_MS } from '../times.mjs';

/** What a server that stopped in order leaves it said: everything of its runs was stopped. */
const STOPPED = 'the server was stopped';

/**
 * Whoever runs it elsewhere hears of it when it renews its lease, or has lost that; and its last
 * append takes its time.
 */
const HEARD_MS = LEASE_MS + 1_000;
const MAY_NOT_REPEAT = new Set(['deed', 'guarded']);

/** A cancel that was accepted counts, and says what was stopped: all that ran, and no more (I7). */
export function checkCancels(world, { logs }) {
  return [
    ...world.cancels.flatMap((cancel) =>
      checkAnswer(cancel, logs.get(cancel.id)).map((fault) => `${cancel.id}: a cancel ${fault}`),
    ),
    ...[...logs].flatMap(([id, log]) => checkStopped(log).map((fault) => `${id}: ${fault}`)),
  ];
}

function checkAnswer({ status, body, at }, log) {
  const end = log.at(-1);
  const ended_at = Date.parse(end.at);
  if (status === 409)
    return body.interaction_status === end.status && ended_at <= at
      ? []
      : [`was told ${body.interaction_status}, and it ended ${end.status} at ${end.at}`];
  return [...checkOutcome(body, { status, log }), ...checkHeard({ at, end, ended_at }, log)];
}

/** What the one that waited was told. */
function checkOutcome(body, { status, log }) {
  if (status !== 200) return [];
  const { stopped } = log.find(({ type }) => type === 'CANCELLED') ?? { stopped: [] };
  const isTrue = body.status === log.at(-1).status && isDeepStrictEqual(body.stopped, stopped);
  return isTrue ? [] : [`was told ${JSON.stringify(body)}`];
}

/**
 * It may have ended by itself before its run heard of it; nobody who took it up later lets it go
 * on.
 */
function checkHeard({ at, end, ended_at }, log) {
  if (end.status === 'CANCELLED') return [];
  const went = log.some((record) => record.type === 'RESUMED' && Date.parse(record.at) > at);
  return went || ended_at > at + HEARD_MS
    ? [`was accepted at ${new Date(at).toISOString()}, and it ended ${end.status} at ${end.at}`]
    : [];
}

function checkStopped(log) {
  const cancelled = log.find(({ type }) => type === 'CANCELLED');
  if (!cancelled) return [];
  const { stopped } = cancelled;
  return [
    ...compare(stopped, 'agent', openAgents(log)),
    ...compare(stopped, 'tool', openCalls(log)),
    ...stopped.flatMap((effect) => checkState(effect, { log, cancelled })),
  ];
}

/** Those that the end itself has ended. */
function openAgents(log) {
  return log
    .filter(
      ({ type, result }) => type === 'AGENT_COMPLETED' && result === 'The interaction has ended.',
    )
    .map(({ agent_id }) => agent_id);
}

/** Started, and without a result of their own. */
function openCalls(log) {
  const closed = log
    .filter(isClosing)
    .map((record) => record.id ?? /^The call (\S+)/.exec(record.message)[1]);
  const open = log.filter(({ type, id }) => type === 'TOOL_STARTED' && closed.includes(id));
  return [...new Set([...open, ...lostCalls(log)].map(({ id }) => id))];
}

/**
 * Those that ran in a process that was lost, whatever has come of them since: they may be at it
 * there still.
 */
function lostCalls(log) {
  const losses = log.filter(({ type, reason }) => type === 'RESUMED' && reason !== STOPPED);
  return log.filter(
    ({ type, id, seq }) =>
      type === 'TOOL_STARTED' &&
      losses.some((loss) => loss.seq > seq && !hasEnded(log, { id, from: seq, to: loss.seq })),
  );
}

function hasEnded(log, { id, from, to }) {
  const ends = ({ type, id: of, code, message }) =>
    (type === 'TOOL_RESULT' && of === id) ||
    (code === 'deferred_call_settled' && message.startsWith(`The call ${id} `));
  return log.some((record) => record.seq > from && record.seq < to && ends(record));
}

function isClosing({ type, code, message, tool_output }) {
  if (type === 'TOOL_RESULT') return tool_output.startsWith('Cancelled. ');
  return code === 'deferred_call_settled' && message.includes('is settled:\nCancelled. ');
}

function compare(stopped, kind, expected) {
  const told = stopped.filter((effect) => effect.kind === kind).map(({ id }) => id);
  return isDeepStrictEqual(told.toSorted(), expected.toSorted())
    ? []
    : [`it says that it stopped the ${kind}s ${told.join()}; there were ${expected.join()}`];
}

/** What ran on a process that was lost is unknown; what ran on this one is stopped. */
function checkState({ kind, id, name, state }, { log, cancelled }) {
  if (kind !== 'tool' || !MAY_NOT_REPEAT.has(name))
    return state === 'stopped' || kind === 'tool' ? [] : [`it says that ${name} is ${state}`];
  const start = log.find((record) => record.type === 'TOOL_STARTED' && record.id === id);
  const wasLost = log.some(
    ({ type, seq }) => type === 'RESUMED' && seq > start.seq && seq < cancelled.seq,
  );
  return state === (wasLost ? 'unknown' : 'stopped')
    ? []
    : [`it says that the call ${id} of ${name} is ${state}`];
}
