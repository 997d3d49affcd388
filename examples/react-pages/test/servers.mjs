import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { preview } from 'vite';

const PARLEY = new URL('../../../dist/programs/main.js', import.meta.url).pathname;
const READY = /Ready on http/;

/** A Parley that can be killed and started again; it is ready when this resolves. */
export async function startParley({ port, folder, origin }) {
  const env = { ...process.env, PORT: port, STORE: 'file', DATA_DIR: `${folder}/data` };
  Object.assign(env, { WORKSPACE_DIR: `${folder}/workspace`, WORKSPACE_MODE: 'shared' });
  Object.assign(env, { CORS_ORIGINS: origin, MODEL: 'demo/script', LOG_FORMAT: 'json' });
  Object.assign(env, { AUTH: 'none', DATABASE_URL: '' });
  const stdio = ['ignore', 'pipe', 'inherit'];
  const parley = spawn(process.execPath, [PARLEY], { cwd: folder, env, stdio });
  let log = '';
  for await (const chunk of parley.stdout.iterator({ destroyOnReturn: false }))
    if (READY.test((log += chunk))) {
      parley.stdout.resume();
      return parley;
    }
  throw new Error(`Parley ended: ${log}`);
}

/** Serves the pages that were built, from an origin of their own. */
export async function servePages() {
  const server = await preview({ preview: { host: '127.0.0.1', port: 0 }, logLevel: 'error' });
  return { server, origin: `http://127.0.0.1:${server.httpServer.address().port}` };
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
