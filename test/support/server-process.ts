import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../../src/config/load-config.js';
import { ApiClient } from './api-client.js';
import { builtServer } from './built-server.js';

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const READY = /Ready on (http:\/\/[^\s;]+)/;

/** The built server as a process of its own, on a free port. */
export class ServerProcess {
  /** All that it printed so far. */
  output = '';
  readonly ended: Promise<ProcessEnd>;
  private announceReady: (url: string) => void = () => {};
  private readonly url = new Promise<string>((resolve) => (this.announceReady = resolve));

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    child.stdout?.on('data', (text) => this.print(String(text)));
    child.stderr?.on('data', (text) => this.print(String(text)));
  }

  /** Doesn't wait for it to be ready. `command`: what node runs, if not the server as it is. */
  static async spawn(env: Environment, command?: readonly string[]): Promise<ServerProcess> {
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, command ?? [await builtServer()], {
      env: { PATH, HOME, NODE_ENV: 'production', PORT: '0', LOG_FORMAT: 'json', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServerProcess(child);
  }

  /** Resolves when it listens. */
  static async start(env: Environment, command?: readonly string[]): Promise<ServerProcess> {
    const server = await ServerProcess.spawn(env, command);
    await server.api();
    return server;
  }

  /** A client of it, as soon as it listens. */
  async api(): Promise<ApiClient> {
    const died = this.ended.then(({ code }) => {
      throw new Error(`The server ended with ${code} before it was ready: ${this.output}`);
    });
    return new ApiClient(await Promise.race([this.url, died]));
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Sends a signal that doesn't end it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  kill(signal: NodeJS.Signals): Promise<ProcessEnd> {
    this.child.kill(signal);
    return this.ended;
  }

  private print(text: string): void {
    this.output += text;
    const url = READY.exec(this.output)?.[1];
    if (url) this.announceReady(url);
  }
}
