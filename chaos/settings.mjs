import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LEASE_MS, LONE_LEASE_MS } from './times.mjs';

const TIMES = {
  HEARTBEAT_MS: '250',
  PARK_AFTER_MS: '150',
  SHUTDOWN_GRACE_MS: '6000',
};

/**
 * The environment of a server; `ways` are the addresses of its database and of Redis, each through
 * its gate. Makes its folder.
 */
export async function settingsOf(
  { number, name, port, role },
  { store, model, effects, size, ways },
) {
  const isLone = size === 1;
  const dataDir = isLone ? store.env.DATA_DIR : join(store.env.DATA_DIR, `p${number}`);
  await mkdir(dataDir, { recursive: true });
  return {
    ...store.env,
    ...TIMES,
    ROLE: role,
    LEASE_TTL_MS: String(isLone ? LONE_LEASE_MS : LEASE_MS),
    DATABASE_URL: ways.database ?? '',
    REDIS_URL: ways.redis ?? '',
    DATA_DIR: dataDir,
    WORKSPACE_DIR: join(store.env.DATA_DIR, 'workspace'),
    FILES_DIR: join(store.env.DATA_DIR, 'files'),
    HOST: '127.0.0.1',
    PORT: String(port),
    MODEL: 'openai/chaos',
    OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/${name}/v1`,
    OPENAI_API_KEY: '',
    CHAOS_EFFECTS: effects,
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
  };
}
