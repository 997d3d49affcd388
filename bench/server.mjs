import { createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from './child.mjs';

const TELL_MEMORY = new URL('tell-memory.mjs', import.meta.url).href;
/** However busy the machine is. */
const READY_MS = 180_000;
const POLL_MS = 5;

/**
 * Starts the server on a store, with the arguments to node in `command`; resolves when it is ready,
 * with the milliseconds that took. `profile` names a `.cpuprofile` to write. `pinned: false` leaves
 * it every core; `env` comes before what it is given otherwise. Only with `tellsMemory` can it be
 * asked for `memory()`.
 */
export async function startServer({
  command,
  store,
  model,
  profile,
  tellsMemory,
  env,
  pinned = true,
}) {
  const port = await freePort();
  const args = [
    ...(profile ? profileArgs(profile) : []),
    ...(tellsMemory ? ['--expose-gc', '--import', TELL_MEMORY] : []),
    ...command,
  ];
  const begun = performance.now();
  const child = new Child(args, {
    ipc: tellsMemory === true,
    ...(pinned && { pin: 'server' }),
    env: {
      ...store.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      MODEL: 'openai/flat-200',
      OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
      OPENAI_API_KEY: '',
      MAX_CONCURRENT_RUNS: '1024',
      MAX_STREAMS: '100000',
      MAX_STREAMS_PER_INTERACTION: '100000',
      LOG_LEVEL: 'error',
      ...env,
    },
  });
  await untilReady(child, port);
  const ready_ms = performance.now() - begun;
  if (tellsMemory) await child.message(); // 'ready', which its parent gets before any memory
  const memory = () => {
    child.send('memory');
    return child.message();
  };
  return { pid: child.pid, port, ready_ms, memory, stop: () => child.stop() };
}

/** Throws, and leaves nothing of it, when that takes too long or it ends. */
export async function untilReady(child, port, { limit_ms = READY_MS, poll_ms = POLL_MS } = {}) {
  const deadline = performance.now() + limit_ms;
  while (performance.now() < deadline && !child.hasExited) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await delay(poll_ms);
  }
  await child.stop();
  throw new Error(`The server did not get ready.\n${child.errors}`);
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function profileArgs(path) {
  const slash = path.lastIndexOf('/');
  return [
    '--cpu-prof',
    `--cpu-prof-dir=${path.slice(0, slash)}`,
    `--cpu-prof-name=${path.slice(slash + 1)}`,
  ];
}
