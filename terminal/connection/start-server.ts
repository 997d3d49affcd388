import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../environment.js';

export const DEFAULT_PORT = 3000;
const PROGRAM = fileURLToPath(new URL('../../programs/main.js', import.meta.url));
/** Only this machine reaches it, so that it asks for no key, whatever the environment says. */
const OPEN = { AUTH: 'none', ADMIN_KEY: '', JWT_ISSUER: '', JWT_AUDIENCE: '', JWT_JWKS_URL: '' };
/**
 * Stops the server when this process is gone, however early. Its threads run it too, and have no
 * channel. `?` and `#` would end the URL.
 */
const STOP_WITH_PARENT =
  'data:text/javascript,import{isMainThread}from"node:worker_threads";const stop=()=>process.kill(process.pid,"SIGTERM");if(process.connected)process.once("disconnect",stop);else if(isMainThread)stop()';

export interface StartedServer {
  readonly url: string;
  /** Path of its log. */
  readonly log: string;
  /** Until it is stopped. Rejects if it has ended by itself and can't be started again. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
}

export interface ServerSettings {
  /** The folder that agents work in. */
  readonly workspace: string | undefined;
  /** Where its `.env` is; by default the data folder, as that of another project is not for it. */
  readonly folder?: string;
  /** More variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Any port, even if the default one is free. */
  readonly isPrivate?: boolean;
}

/**
 * A server of this terminal, with chats in the user's data folder. It stops with the terminal,
 * and is started again if it ends before.
 * @throws Error that names its log, if it ends before it is ready
 */
export async function startServer(
  environment: Environment,
  { workspace, folder, variables, isPrivate = false }: ServerSettings,
): Promise<StartedServer> {
  const { dataFolder, stateFolder } = environment;
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  const log = join(stateFolder, 'server.log');
  await rm(log, { force: true });
  const port = await freePort(isPrivate);
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...environment.variables,
    STORE: environment.variables.STORE || 'file',
    DATA_DIR: join(dataFolder, 'data'),
    ...workspaceOf(workspace, dataFolder),
    ...{ DATABASE_URL: '', REDIS_URL: '', HOST: '127.0.0.1', PORT: String(port) },
    ...OPEN,
    ...variables,
  };
  const server = new OwnServer({ cwd: folder ?? dataFolder, env, log });
  await server.start();
  const running = server.keepRunning();
  running.catch(() => {}); // told to those who await it
  return { url, log, running, stop: () => server.stop() };
}

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: string;
}

/** The process of a server, and the one that takes its place if it ends by itself. */
class OwnServer {
  private child: ChildProcess | undefined;
  private isStopping = false;

  constructor(private readonly place: Place) {}

  /** @throws Error that names the log, if it ends before it is ready */
  async start(): Promise<void> {
    const { cwd, env, log } = this.place;
    const file = openSync(log, 'a', 0o600);
    const child = spawn(process.execPath, ['--import', STOP_WITH_PARENT, PROGRAM], {
      ...{ cwd, env },
      stdio: ['ignore', file, file, 'ipc'],
      detached: true, // Ctrl-C is for the terminal
    });
    closeSync(file);
    child.unref();
    child.channel?.unref();
    this.child = child;
    try {
      await untilReady(child, log);
    } catch (error) {
      await end(child);
      throw error;
    }
  }

  /** Until it is stopped. @throws Error if it can't be started again */
  async keepRunning(): Promise<void> {
    for (;;) {
      if (isAlive(this.child!)) await once(this.child!, 'exit');
      if (this.isStopping) return;
      await this.start();
    }
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.child) await end(this.child);
  }
}

/** Runs the server in the foreground, with the settings of the environment. Its exit code. */
export async function serve(): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM], { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', pass);
  process.on('SIGINT', () => {}); // a terminal sends it to both
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** The folder, unless it holds the data of the server, which no agent may see. */
function workspaceOf(folder: string | undefined, dataFolder: string): Record<string, string> {
  const given = resolve(folder ?? '.');
  const holdsData = `${dataFolder}${sep}`.startsWith(
    given.endsWith(sep) ? given : `${given}${sep}`,
  );
  if (holdsData) return { WORKSPACE_DIR: join(dataFolder, 'workspace') };
  return { WORKSPACE_DIR: given, WORKSPACE_MODE: 'shared' };
}

/** It says so itself: at its port, another server may have been faster. */
async function untilReady(child: ChildProcess, log: string): Promise<void> {
  child.ref();
  await new Promise((settle) => {
    child.once('message', settle);
    child.once('exit', settle);
  });
  child.unref();
  if (isAlive(child)) return;
  throw new Error(`The server ended with ${child.exitCode ?? child.signalCode}; see ${log}`);
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function end(child: ChildProcess): Promise<void> {
  if (!isAlive(child)) return;
  const ended = once(child, 'exit');
  child.ref();
  child.kill('SIGTERM');
  await ended;
}

/** The default port, unless another program has it or it is not wanted. */
async function freePort(isPrivate: boolean): Promise<number> {
  const standard = isPrivate ? undefined : await tryPort(DEFAULT_PORT);
  return standard ?? (await tryPort(0))!;
}

async function tryPort(port: number): Promise<number | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
    return (probe.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    probe.close();
  }
}
