import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

/** Starts `main.js` with data of its own; resolves with its URL, and the lines that it logs. */
export async function startServer(t: TestContext, env: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-example-'));
  const server = spawn(process.execPath, [join(import.meta.dirname, 'main.js')], {
    env: { PORT: '0', DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'work'), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    const exited = new Promise((resolve) => server.once('exit', resolve));
    if (server.exitCode === null && server.kill()) await exited;
    await rm(folder, { recursive: true });
  });
  const log: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`It ended before it was ready: ${log.join('\n')}`)));
    createInterface({ input: server.stdout }).on('line', (line) => {
      log.push(line);
      const ready = /Ready on (http:[^;]+);/.exec(line)?.[1];
      if (ready !== undefined) resolve(ready);
    });
  });
  return { url, log };
}

/** The events of an interaction, as the server streams them. */
export async function say(url: string, body: object): Promise<string> {
  const reply = await fetch(`${url}/chats/example/interactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return reply.text();
}
