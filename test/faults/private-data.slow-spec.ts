import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { ServerProcess } from '../support/server/server-process.js';

const CALLS = [
  { name: 'write', arguments: { path: 'made/by-write.txt', content: 'x' } },
  { name: 'bash', arguments: { command: 'mkdir bashed && touch bashed/by-bash.txt' } },
];

describe('With an open umask', () => {
  let folder: string;
  let fake: FakeOpenAi;
  let umask: number;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    umask = process.umask(0);
    folder = await mkdtemp(join(tmpdir(), 'parley-private-'));
    fake = await FakeOpenAi.start();
  });
  afterEach(() => server?.kill('SIGKILL'));
  afterAll(async () => {
    process.umask(umask);
    await fake.stop();
    await rm(folder, { recursive: true });
  });

  it.each(['file', 'database'])(
    'all data of STORE=%s is its owner’s only, and what tools make is as open as anything',
    async (STORE) => {
      const data = join(folder, STORE);
      const workspace = join(folder, `workspace-${STORE}`);
      server = await ServerProcess.start({
        ...{ STORE, DATA_DIR: data, WORKSPACE_DIR: workspace, WORKSPACE_MODE: 'shared' },
        ...{ MODEL: 'openai/fake', OPENAI_BASE_URL: fake.baseUrl },
      });
      const api = await server.api();
      await api.post('/permissions/rules', {
        ...{ scope: 'global', decision: 'deny', matcher: { type: 'tool', pattern: 'x' } },
      });
      fake.reply({ calls: CALLS }, { text: 'Done.' });
      const reader = await api.say('private', { user_message: 'Go', approval_mode: 'auto' });
      expect(reader.list('TOOL_RESULT')).toMatchObject(CALLS.map(() => ({ is_error: false })));
      const open = await modesOf(data, (mode) => (mode & 0o077) !== 0);
      await server.kill('SIGTERM');
      expect(open).toEqual({});
      expect(await modesOf(data, (mode) => (mode & 0o077) !== 0)).toEqual({});
      expect(await modesOf(workspace, () => true)).toMatchObject({
        ...{ made: '777', 'made/by-write.txt': '666' },
        ...{ bashed: '777', 'bashed/by-bash.txt': '666' },
      });
      expect(server.output).not.toContain('chmod 700');
    },
  );
});

/** In octal, by path, of a folder and everything in it. */
async function modesOf(
  folder: string,
  isMeant: (mode: number) => boolean,
): Promise<Record<string, string>> {
  const paths = ['.', ...(await readdir(folder, { recursive: true }))];
  const modes = await Promise.all(
    paths.map(async (path) => [path, await modeOf(join(folder, path))] as const),
  );
  const meant = modes.filter(([, mode]) => isMeant(mode));
  return Object.fromEntries(meant.map(([path, mode]) => [path, mode.toString(8)]));
}

/** 0 for a file that a running server has replaced since its folder was read. */
async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return 0;
  }
}
