import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const PARLEY = new URL('../../../dist/programs/main.js', import.meta.url).pathname;
const PAGE = new URL('../serve.mjs', import.meta.url).pathname;

/** A Parley that can be killed and started again; it is ready when this resolves. */
export async function startParley({ port, folder, origin, AUTH = 'none', ADMIN_KEY = '' }) {
  const env = { ...process.env, PORT: port, STORE: 'file', DATA_DIR: `${folder}/data` };
  Object.assign(env, {
    WORKSPACE_DIR: `${folder}/workspace`,
    WORKSPACE_MODE: 'shared',
    CORS_ORIGINS: origin,
    MODEL: 'demo/script',
    AUTH,
    ADMIN_KEY,
  });
  Object.assign(env, { LOG_LEVEL: 'error', DATABASE_URL: '' });
  const parley = spawn(process.execPath, [PARLEY], { cwd: folder, env, stdio: 'inherit' });
  while (!(await isReady(port))) {
    if (parley.exitCode !== null) throw new Error(`Parley ended with ${parley.exitCode}`);
    await delay(100);
  }
  return parley;
}

export async function startPage(port) {
  const server = spawn(process.execPath, [PAGE, port], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  return server;
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function isReady(port) {
  const reply = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
  return reply?.ok === true;
}
