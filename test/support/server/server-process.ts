import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../../../src/config/load-config.js';
import { ApiClient } from '../client/api-client.js';
import { builtServer } from './built-server.js';

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const READY = /Ready on (http:\/\/[^\s;]+)/;

/** The compiled server as a process of its own, on a free port. */
export class ServerProcess {
  /** Everything that it has printed. */
  output = '';
  readonly ended: Promise<ProcessEnd>;
  private announceReady: (url: string) => void = () => {};
  private readonly url = new Promise<string>((resolve) => (this.announceReady = resolve));

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    child.stdout?.on('data', (text) => this.print(String(text)));
    child.stderr?.on('data', (text) => this.print(String(text)));
  }

  /**
   * Doesn't wait until it is ready.
   * @param command the arguments of node, by default the server without additions
   */
  static async spawn(env: Environment, command?: readonly string[]): Promise<ServerProcess> {
    const { PATH, HOME } = process.env;
    const own = { PORT: '0', LOG_FORMAT: 'json', SYSTEM_PROMPT_FILE: '/dev/null' };
    const child = spawn(process.execPath, command ?? [await builtServer()], {
      env: { PATH, HOME, NODE_ENV: 'production', ...own, ...env },
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

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
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
