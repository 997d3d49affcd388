import { setTimeout as delay } from 'node:timers/promises';

const STREAMS = 500;
/** So that everything is loaded and compiled. */
const WARM_UP = { kind: 'closed', model: 'flat-200', at_once: 64, seconds: 3 };
const SETTLE_MS = 2_000;

/**
 * What a stream costs that is open, with its run and its connection to the model, and says nothing.
 * Without garbage.
 */
export async function idle({ client }, { target, server }) {
  await client.run({ ...WARM_UP, ...target });
  const before = await memory(server);
  await client.run({ kind: 'open', model: 'idle', streams: STREAMS, ...target });
  const after = await memory(server);
  await client.run({ kind: 'close' });
  return {
    used_kb_per_stream: (used(after) - used(before)) / STREAMS / 1024,
    rss_kb_per_stream: (after.rss - before.rss) / STREAMS / 1024,
    rss_mb: after.rss / 1024 / 1024,
  };
}

/** `rss` says less: it keeps what the warm-up took. */
function used({ heapUsed, external }) {
  return heapUsed + external;
}

async function memory(server) {
  await delay(SETTLE_MS);
  return server.memory();
}
