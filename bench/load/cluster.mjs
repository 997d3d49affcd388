import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../stores.mjs';
import { startServer } from '../server.mjs';
import { openRedis } from './redis.mjs';

/** What each arrangement of processes consists of. Only with several of them is there a Redis. */
export const TOPOLOGIES = {
  single: ['all'],
  cluster: ['api', 'api', 'worker', 'worker'],
};

/**
 * Starts an arrangement on a database of its own, does `work` with it, and leaves nothing of it:
 * `{ processes: [{ role, pid, memory }], ports, store, redis }`, `ports` of those that answer
 * clients.
 */
export async function withCluster(bench, { topology, env, profile }, work) {
  const store = await openStore('postgres', { label: 'load' });
  const redis = await openRedis();
  const processes = [];
  try {
    await redis.flush();
    const files = join(store.env.DATA_DIR, 'files');
    for (const [i, role] of TOPOLOGIES[topology].entries()) {
      const dataDir = join(store.env.DATA_DIR, String(i));
      await mkdir(dataDir);
      const own = { ...env, ...roleIn(topology, role, redis), DATA_DIR: dataDir, FILES_DIR: files };
      processes.push(await startOne(bench, { store, role, env: own, profile: profile?.(role, i) }));
    }
    const ports = processes.filter(({ role }) => role !== 'worker').map(({ port }) => port);
    return await work({ processes, ports, store, redis });
  } finally {
    await Promise.all(processes.map((each) => each.stop()));
    await redis.flush();
    redis.close();
    await store.remove();
  }
}

function roleIn(topology, role, redis) {
  const hasOthers = TOPOLOGIES[topology].length > 1;
  return { ROLE: role, REDIS_URL: hasOthers ? redis.url : '' };
}

async function startOne(bench, { role, ...options }) {
  const server = await startServer({ ...bench, ...options, tellsMemory: true, pinned: false });
  return { role, ...server };
}
