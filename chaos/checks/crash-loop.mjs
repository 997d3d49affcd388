/** What the last append has for what was open. */
const CLOSES = new Set([
  'TOOL_RESULT',
  'NOTICE',
  'REJECTED',
  'APPROVED',
  'INPUT_RECEIVED',
  'AGENT_COMPLETED',
]);

/** How often in a row an interaction was lost before it was given up; 0 when it was not. */
export function lossesOf(log) {
  const error = log.find(({ type, code }) => type === 'ERROR' && code === 'crash_loop');
  return error ? Number(/ (\d+) times in a row/.exec(error.message)[1]) : 0;
}

/** What has taken the process down more often than that is ended without a look at its log: its calls, agents and requests are left as they are. */
export function isEndedUnread(log) {
  return lossesOf(log) > 3;
}

/** Whether as many runs in a row were lost before they had written anything. Told by the leases where we know them: `empty_runs`. */
export function isTrueCrashLoop(log, { empty_runs, losses }) {
  const [{ interaction_id }] = log;
  const known = empty_runs?.find(({ id }) => id === interaction_id)?.count;
  return (known ?? countLosses(log, losses)) >= lossesOf(log);
}

/** At most: as the log tells, or as often as we did what may lose a run. `moments` are those at which we did. */
function countLosses(log, moments) {
  const end = log.findIndex(({ type, code }) => type === 'ERROR' && code === 'crash_loop');
  const last = log.findLastIndex(({ type }) => type === 'RESUMED');
  const hasGivenUp = last !== -1 && log.slice(last + 1, end).every(({ type }) => CLOSES.has(type));
  const before = log.slice(0, hasGivenUp ? last + 1 : end);
  const wrote = before.findLastIndex(({ type }) => type !== 'RESUMED');
  const [from, to] = [log[wrote].at, log[end].at].map(Date.parse);
  const done = moments.filter(({ at }) => at >= from && at <= to);
  return Math.max(before.length - wrote - 1, done.length);
}
