import { appendFile, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../support/client/api-client.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/server/free-port.js';
import { ServerProcess } from '../support/server/server-process.js';
import { ROOT } from '../support/server/made-once.js';

// Over 20 s: a copy of the sources is compiled whole, and the server starts twice.

const COPIED = [
  ...['src', 'migrations', 'scripts', 'prompts', 'client', 'web'],
  ...['nest-cli.json', 'package.json', 'tsconfig.json'],
];
const SOURCE = 'src/kernel/disk/umask.ts';

describe('npm run dev', () => {
  let folder: string;
  let server: ServerProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-dev-'));
    for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const compiler = join(folder, 'scripts/compile.mjs');
    const compiling = await ServerProcess.spawn({}, [compiler, folder, 'src', 'migrations']);
    expect(await compiling.ended).toMatchObject({ code: 0 });
    const PORT = String(await freePort());
    const env = { STORE: 'file', DATA_DIR: join(folder, 'data'), PORT };
    server = await ServerProcess.start(env, [join(folder, 'scripts/dev.mjs')]);
  });
  afterAll(async () => {
    await server?.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  test('says what does not compile, then starts anew with the same data', async () => {
    const api = await server.api();
    const chat = await api.post('/chats', { title: 'Kept' });
    expect(chat.status).toBe(201);
    const source = join(folder, SOURCE);

    await appendFile(source, 'const (');
    await eventually(() => server.output.includes('Not restarted'));
    expect(server.output).toMatch(/umask\.ts:\d+:\d+/);
    expect((await api.get('/health/ready')).status).toBe(200);

    await cp(join(ROOT, SOURCE), source);
    await eventually(() => urlsIn(server.output).length === 2);
    const restarted = new ApiClient(urlsIn(server.output)[1]!);
    const kept = await restarted.get(`/chats/${chat.body.id}`);
    expect(kept.body).toMatchObject({ title: 'Kept' });
  });

  test('serves the console from its sources, beside the API', async () => {
    const [, page] = /with hot reload: (\S+)/.exec(server.output)!;
    expect(await (await fetch(page!)).text()).toContain('@vite/client');
    expect((await fetch(new URL('/health/ready', page))).status).toBe(200);
    await server.kill('SIGTERM');
    await expect(fetch(page!)).rejects.toThrow('fetch failed');
  });
});

function urlsIn(output: string): string[] {
  return [...output.matchAll(/Ready on (http:\/\/[^\s;]+)/g)].map(([, url]) => url!);
}
