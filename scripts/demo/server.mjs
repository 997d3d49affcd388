import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
/** Only this machine reaches it, so that it asks for no key, whatever .env says. */
const OPEN = {
  AUTH: 'none',
  ADMIN_KEY: '',
  JWT_ISSUER: '',
  JWT_AUDIENCE: '',
  JWT_JWKS_URL: '',
  JWT_SECRET: '',
};

/**
 * Starts the built server on a free port, on an embedded database of its own, with whatever model
 * is set. What doesn't start leaves nothing.
 */
export async function startServer(signal) {
  const port = await freePort();
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-demo-'));
  const env = { LOG_LEVEL: 'warn', ...process.env, PORT: String(port), HOST: '127.0.0.1' };
  const child = spawn(process.execPath, ['dist/programs/main.js'], {
    env: { ...env, ...OPEN, DATA_DIR: dataDir, DATABASE_URL: '', STORE: 'database' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await untilReady(url, exited, signal);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

async function untilReady(url, exited, signal) {
  let code;
  void exited.then(([status]) => (code = status ?? 1));
  for (;;) {
    if (code !== undefined) throw new Error(`the server ended with exit code ${code}`);
    const ready = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (ready?.ok) return;
    await delay(POLL_MS, undefined, { signal });
  }
}
