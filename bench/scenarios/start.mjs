import { startServer } from '../server.mjs';

const STARTS = 5;

/**
 * From the start of the process until it is ready, with an existing database. Not pinned: starting
 * uses every core there is.
 */
export async function start(bench, { store }) {
  const times = [];
  for (let i = 0; i < STARTS; i++) {
    const server = await startServer({ ...bench, store, pinned: false });
    times.push(server.ready_ms);
    await server.stop();
  }
  times.sort((a, b) => a - b);
  return { best_ms: times[0], median_ms: times[Math.floor(STARTS / 2)] };
}
