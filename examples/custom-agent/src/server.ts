import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A server of this package that has started. */
export interface StartedServer {
  readonly url: string;
  /** What it has written since it was ready. */
  readonly lines: readonly string[];
  /** Resolves when it has exited. */
  readonly stop: () => Promise<void>;
}

/** Starts it as `npm start` does, with the folder for its data and the model at this address. */
export async function startServer(folder: string, modelUrl: string): Promise<StartedServer> {
  const server = spawn(process.execPath, [join(import.meta.dirname, 'main.js')], {
    env: {
      ...{ PORT: '0', DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'work') },
      ...{ STORE: 'file', OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'none' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const log = createInterface({ input: server.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    log.on('line', (line) => {
      const ready = /Ready on (http:[^;]+);/.exec(line)?.[1];
      if (ready === undefined) lines.push(line);
      else resolve(ready);
    });
    log.on('close', () => reject(new Error(`The server ended:\n${lines.join('\n')}`)));
  });
  return { url, lines, stop: () => stop(server) };
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const exited = once(server, 'exit');
  server.kill();
  await exited;
}
