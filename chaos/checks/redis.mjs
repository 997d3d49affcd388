/**
 * What a run takes at most from its last record until all that Redis has of it is gone, however
 * busy the machine is.
 */
const CLOSING_MS = 2_000;

/**
 * In the end Redis has nothing of any interaction; but what was said of a run whose process was
 * killed right after its end is left to go by its time to live.
 */
export function checkRedis(_, { leftovers, logs, losses, outages }) {
  const kills = losses.filter(({ what }) => what === 'kill');
  return leftovers
    .filter(({ key, ttl_ms }) => ttl_ms < 0 || !wasKilled(logs.get(ownerOf(key)), kills, outages))
    .map(({ key, ttl_ms }) => `${key} is left in Redis, to live for ${ttl_ms} ms`);
}

function ownerOf(key) {
  return /^parley:live:\{(.+?)\}/.exec(key)?.[1];
}

/** Right after its end; or after it could not have told Redis so, because that was away. */
function wasKilled(log, kills, outages) {
  if (!log) return false;
  const end = Date.parse(log.at(-1).at);
  const away = outages.filter(({ from, to }) => from < end + CLOSING_MS && to > end);
  const until = Math.max(end, ...away.map(({ to }) => to)) + CLOSING_MS;
  return kills.some(({ at }) => at >= end && at <= until);
}
