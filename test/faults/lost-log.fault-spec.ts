import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { builtServer } from '../support/server/built-server.js';
import { freePort } from '../support/server/free-port.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';

describe('A server whose log is lost', () => {
  let data: ProcessData;
  let url: string;
  let server: ChildProcess;
  const readers: ChildProcess[] = [];

  beforeEach(async () => {
    data = await FILES.create();
  });
  afterEach(async () => {
    for (const child of [server, ...readers.splice(0)]) child.kill('SIGKILL');
    await data.remove();
  });

  /** @param path the file that takes standard output and standard error */
  const start = async (path: string): Promise<void> => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/health/live`;
    const output = await open(path, 'w');
    const own = { PORT: String(port), LOG_FORMAT: 'json', LOG_LEVEL: 'debug' };
    server = spawn(process.execPath, [await builtServer()], {
      env: { PATH: process.env.PATH, ...data.env, ...own },
      stdio: ['ignore', output.fd, output.fd],
    });
    await output.close();
    await eventually(isAlive);
  };
  /** Its answer is a line of the log. */
  const isAlive = async (): Promise<boolean> => {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    return response?.status === 200;
  };
  const read = (command: string, ...words: readonly string[]): ChildProcess => {
    const reader = spawn(command, words, { stdio: ['ignore', 'pipe', 'ignore'] });
    readers.push(reader);
    return reader;
  };

  it('goes on without its reader, and tells the next one how much was lost', async () => {
    const pipe = join(data.env['DATA_DIR']!, 'log');
    await promisify(execFile)('mkfifo', [pipe]);
    const first = once(read('head', '-n', '1', pipe), 'exit');
    await start(pipe);
    await first;
    for (let i = 0; i < 3; i++) expect(await isAlive()).toBe(true);
    let text = '';
    read('cat', pipe).stdout!.on('data', (chunk) => (text += String(chunk)));
    await eventually(async () => (await isAlive()) && text.includes('"lost_lines"'));
    const lines = text.split('\n').filter(Boolean);
    const told = lines.map((line) => JSON.parse(line) as { lost_lines?: number });
    const line = told.find(({ lost_lines }) => lost_lines !== undefined);
    expect(line).toMatchObject({ level: 'error', context: 'AppLogger' });
    expect(line?.lost_lines).toBeGreaterThanOrEqual(3);
  });

  it('starts, answers and stops with a full disk', async () => {
    await start('/dev/full');
    expect(await isAlive()).toBe(true);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  });
});
