import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pins } from './machine.mjs';

const STOP_MS = 8_000;
const running = new Set();

/** A node process of ours: pinned, and gone when we are. */
export class Child {
  #process;
  #errors = '';

  /**
   * `pin` is `server` or `rest`, or nothing; `output` is an open file for what it writes to stdout.
   */
  constructor(args, { pin, env, ipc = true, output = 'ignore' } = {}) {
    const cores = pin && pins?.[pin];
    const command = [...(cores ? ['taskset', '-c', cores] : []), process.execPath, ...args];
    this.#process = spawn(command[0], command.slice(1), {
      env: { ...process.env, ...env },
      stdio: ['ignore', output, 'pipe', ...(ipc ? ['ipc'] : [])],
    });
    this.#process.stderr.on('data', (data) => (this.#errors = (this.#errors + data).slice(-4000)));
    running.add(this.#process);
    this.#process.once('exit', () => running.delete(this.#process));
  }

  get pid() {
    return this.#process.pid;
  }

  get hasExited() {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** The end of what it wrote to stderr. */
  get errors() {
    return this.#errors;
  }

  send(message) {
    this.#process.send(message);
  }

  /** The next message. Rejects when the process ends instead. */
  async message() {
    const aborter = new AbortController();
    const { signal } = aborter;
    try {
      return await Promise.race([
        once(this.#process, 'message', { signal }).then(([message]) => message),
        once(this.#process, 'exit', { signal }).then(() => {
          throw new Error(`A process of ours ended early.\n${this.#errors}`);
        }),
      ]);
    } finally {
      aborter.abort();
    }
  }

  signal(name) {
    this.#process.kill(name);
  }

  /** Resolves when it has ended, with how. */
  async exit() {
    if (!this.hasExited) await once(this.#process, 'exit');
    const { exitCode: code, signalCode: signal } = this.#process;
    return { code, signal };
  }

  async stop() {
    if (this.hasExited) return;
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_MS);
    await this.exit();
    clearTimeout(timer);
  }
}

process.on('exit', killAll);

/** For an end before the end. Resolves when all have gone. */
export async function stopChildren() {
  const gone = [...running].map((child) => once(child, 'exit'));
  killAll();
  await Promise.all(gone);
}

function killAll() {
  for (const child of running) child.kill('SIGKILL');
}
