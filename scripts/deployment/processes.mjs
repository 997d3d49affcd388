import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
const STOP_MS = 10_000;
const running = new Set();

/**
 * Starts a program that is ended with this one at the latest. `exited` resolves with its exit code,
 * or the signal that ended it.
 */
export function start(command, args, options) {
  const child = spawn(command, args, options);
  running.add(child);
  const exited = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    return code ?? signal;
  });
  return { child, exited };
}

/** @throws Error with what the program said, if it doesn't end with 0 */
export async function run(command, args, options) {
  const { child, exited } = start(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const [code, ...said] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ends with ${code}\n${said.join('')}`);
}

/** In order where they can: a killed nginx would leave its workers. */
export async function stopAll() {
  for (const child of running) child.kill('SIGTERM');
  const end = performance.now() + STOP_MS;
  while (running.size > 0) {
    if (performance.now() > end) for (const child of running) child.kill('SIGKILL');
    await delay(POLL_MS);
  }
}

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

/** Asks until the answer is true. `what` is the rest of "in 60 s, …". */
export async function until(what, ask, timeoutMs = 60_000) {
  const end = performance.now() + timeoutMs;
  while (!(await ask())) {
    if (performance.now() > end) throw new Error(`in ${timeoutMs / 1000} s, ${what}`);
    await delay(POLL_MS);
  }
}

/** Rejects if the promise takes longer. */
export function within(timeoutMs, what, promise) {
  const late = AbortSignal.timeout(timeoutMs);
  const tooLate = once(late, 'abort').then(() => {
    throw new Error(`${what} takes longer than ${timeoutMs / 1000} s`);
  });
  return Promise.race([promise, tooLate]);
}
