import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../dist/client/index.js';
import { summarise } from '../percentiles.mjs';
import { startServer } from '../server.mjs';

const CALLS = 10;
/** Until the next interpreter waits in reserve. */
const REST_MS = 5_000;

/**
 * What a call costs: the first that there is, the first of a start, later ones with a rest between,
 * and in a row.
 */
export async function python(bench, { store }) {
  const first_ever_ms = await during(bench, store, (server) => call(server));
  return during(bench, store, async (server) => {
    const before = await server.memory();
    const first_ms = await call(server);
    const later = await calls(server, REST_MS);
    await delay(REST_MS);
    const after = await server.memory();
    const row = await calls(server, 0);
    return {
      first_ever_ms,
      first_ms,
      later_p50_ms: later.p50,
      later_max_ms: later.max,
      to_first: later.p50 / first_ms,
      at_once_p50_ms: row.p50,
      rss_before_mb: before.rss / 2 ** 20,
      rss_mb: after.rss / 2 ** 20,
      load: loadavg()[0],
    };
  });
}

async function during(bench, store, work) {
  const env = { MODEL: 'openai/python' };
  const server = await startServer({ ...bench, store, tellsMemory: true, pinned: false, env });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function calls(server, rest_ms) {
  const times = [];
  for (let i = 0; i < CALLS; i++) {
    await delay(rest_ms);
    times.push(await call(server));
  }
  return summarise(times);
}

/** How long the tool took, in milliseconds, as the log has it. */
async function call({ port }) {
  const client = createClient({ url: `http://127.0.0.1:${port}` });
  const records = [];
  for await (const event of client.start(`chat_${randomUUID()}`, { user_message: 'Go' }))
    if ('seq' in event) records.push(event);
  const result = records.find(({ type }) => type === 'TOOL_RESULT');
  if (result?.is_error !== false)
    throw new Error(`A program did not run: ${JSON.stringify(result ?? records)}`);
  return result.duration_ms;
}
