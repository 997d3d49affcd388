import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient, Body } from '../support/client/api-client.js';
import { Person } from '../support/client/person.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { builtServer } from '../support/server/built-server.js';
import { PGLITE, POSTGRES, FILES } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { createPostgresDatabase } from '../support/store/databases.js';
import { Following } from '../support/store/following.js';
import type { FileInfo } from '../../src/protocol/wire/file.js';
import type { Interaction } from '../../src/protocol/wire/interaction.js';

const run = promisify(execFile);
const ADMIN_KEY = 'an-admin-key-of-more-than-32-characters';
const SETTINGS: Environment = {
  ...{ MODEL: 'openai/fake', OPENAI_API_KEY: 'k', AUTH: 'keys', ADMIN_KEY },
  ...{ PARK_AFTER_MS: '0', LEASE_TTL_MS: '4000', SANDBOX: 'none' },
  ENCRYPTION_KEYS: `first:${Buffer.alloc(32, 7).toString('base64')}`,
};

/** What a server was told before it was backed up. */
interface Told {
  readonly works: Interaction;
  readonly approval_id: string;
  readonly asks: Interaction;
  readonly key: string;
  readonly files: readonly FileInfo[];
}

describe('A backup that was made while the server worked', () => {
  let fake: FakeOpenAi;
  let folder: string;
  let gate: Gate;
  const running: ServerProcess[] = [];
  const dropped: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
  });
  afterAll(() => fake.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-backup-'));
    gate = new Gate();
    fake.otherwise((body) => {
      const last = body.messages.findLast(({ role }: { role?: unknown }) => role === 'user');
      const text = String(last?.['content']);
      if (text.includes('Work')) return { text: ['Half', gate, ' and half.'] };
      const isNew = body.messages.at(-1)?.role === 'user';
      const write = { name: 'write', arguments: { path: 'note.txt', content: 'noted' } };
      return isNew && text.includes('Write') ? { calls: [write] } : { text: `On ${text}` };
    });
  });
  afterEach(async () => {
    gate.open();
    await Promise.all(running.splice(0).map((server) => server.kill('SIGKILL')));
    await Promise.all(dropped.splice(0).map((drop) => drop()));
    await rm(folder, { recursive: true, force: true });
    expect(fake.violations).toEqual([]);
  });

  const places = (name: string): Environment => ({
    ...SETTINGS,
    OPENAI_BASE_URL: fake.baseUrl,
    DATA_DIR: join(folder, name, 'data'),
    FILES_DIR: join(folder, name, 'files'),
    WORKSPACE_DIR: join(folder, name, 'workspace'),
  });
  const start = async (env: Environment): Promise<ApiClient> => {
    const server = await ServerProcess.start(env);
    running.push(server);
    return (await server.api()).bearing(ADMIN_KEY);
  };
  const program = async (
    name: 'backup' | 'restore' | 'move',
    env: Environment,
    ...args: string[]
  ): Promise<string> => {
    const command = await builtServer(`dist/src/${name}.js`);
    const options = { env: { PATH: process.env['PATH'], ...env } };
    return (await run(process.execPath, [command, ...args], options)).stdout;
  };

  for (const { name, fault } of [FILES, PGLITE, POSTGRES])
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      /** Where a server of this store keeps its data, empty and without tables. */
      const place = async (of: string): Promise<Environment> => {
        const env = places(of);
        if (name === 'files') return { ...env, STORE: 'file' };
        if (name !== 'Postgres') return env;
        const { url, drop } = await createPostgresDatabase();
        dropped.push(drop);
        return { ...env, DATABASE_URL: url };
      };

      it('gives the same server again, which goes on with its work', async () => {
        const source = await place('source');
        const api = await start(source);
        const told = await fill(api);
        const before = await answersOf(api, told);
        const path = join(folder, 'backup.tar.gz');
        const said = await program('backup', source, path);
        expect(said).toMatch(/Rows: \d+, files: 2, files of workspaces: 1\.[^]*first/);
        await running.pop()!.kill('SIGKILL');

        const target = await place('target');
        expect(await program('restore', target, path)).toMatch(/files: 2, files of workspaces: 1/);
        await expect(program('restore', target, path)).rejects.toThrow('is not empty');
        const again = await start(target);
        expect(await answersOf(again, told)).toEqual(before);
        await expectGoingOn(again, told);
      });

      if (name === 'Postgres') return;
      (POSTGRES.fault ? it.skip : it)('moves to Postgres, as it was', async () => {
        const source = await place('source');
        const api = await start(source);
        const told = await fill(api);
        const before = await answersOf(api, told);
        const { url, drop } = await createPostgresDatabase();
        dropped.push(drop);
        await expect(program('move', source, '--to', url)).rejects.toThrow(/is in use by process/);
        await running.pop()!.kill('SIGKILL');
        expect(await program('move', source, '--to', url)).toMatch(/^\d\d+ rows were copied/);
        await expect(program('move', source, '--to', url)).rejects.toThrow('is not empty');
        const again = await start({ ...source, STORE: 'database', DATABASE_URL: url });
        expect(await answersOf(again, told)).toEqual(before);
        await expectGoingOn(again, told);
      });
    });

  async function expectGoingOn(api: ApiClient, { works, asks, approval_id, key }: Told) {
    expect((await api.bearing(key).get('/chats')).status).toBe(200);
    gate.open();
    const resumed = await api.follow(works);
    expect(resumed.faults).toEqual([]);
    const statusOf = async (of: Interaction) => (await api.interaction(of)).status;
    await eventually(async () => (await statusOf(works)) === 'COMPLETED');
    const { interactions } = (await api.get('/chats/works')).body;
    const queued = interactions.at(-1) as Interaction;
    await api.follow({ ...queued, chat_id: 'works' });
    expect(await api.interaction({ ...queued, chat_id: 'works' })).toMatchObject({
      ...{ user_message: 'And then?', status: 'COMPLETED', parent_id: works.id },
    });
    const person = new Person(() => api);
    expect((await person.approve(asks, approval_id)).status).toBe(200);
    const reader = await api.follow(asks);
    expect(reader.find('TOOL_RESULT')).toMatchObject({ is_error: false });
    await eventually(async () => (await statusOf(asks)) === 'COMPLETED');
    const asked = await api.say('talk', 'What is new?');
    expect(asked.faults).toEqual([]);
  }

  /** Everything that a store keeps; one interaction works, and one waits for a person. */
  async function fill(api: ApiClient): Promise<Told> {
    const posted = async (path: string, body: Body) => {
      const reply = await api.post(path, body);
      expect([path, reply.status < 300, reply.body]).toEqual([path, true, expect.anything()]);
      return reply.body;
    };
    const upload = async (content: string, chat_id?: string) => {
      const form = new FormData();
      if (chat_id !== undefined) form.set('chat_id', chat_id);
      form.set('file', new Blob([content]), 'note.txt');
      return (await api.send('POST', '/files', { form })).body as FileInfo;
    };
    await posted('/chats', { id: 'talk', metadata: { is: 'kept' } });
    const files = [await upload('of the chat', 'talk'), await upload('of nobody')];
    const first = await api.say('talk', { user_message: 'Hello', file_ids: [files[0]!.id] });
    const { interaction_id } = first.find('INTERACTION_STARTED')!;
    const edit = `/chats/talk/interactions/${interaction_id}/edit?wait=true`;
    await posted(edit, { new_user_message: 'Hello again' });
    const written = await api.say('talk', { user_message: 'Write', approval_mode: 'auto' });
    expect(written.find('TOOL_RESULT')).toMatchObject({ is_error: false });
    await api.patch('/chats/talk', { title: 'A title 🦜' });
    const deny = { decision: 'deny', matcher: { type: 'tool', pattern: 'bash' } };
    await posted('/permissions/rules', { scope: 'global', ...deny });
    await posted('/permissions/rules', { scope: 'session', scope_id: 'talk', ...deny });
    await posted('/tasks', { chat_id: 'talk', title: 'A task', description: 'of the board' });
    const { key } = await posted('/keys', { user_id: 'ann', scopes: ['chat', 'decide'] });
    const asks = await api.begin('asks', 'Write');
    const { approval_id } = await new Following(api, asks).record('APPROVAL_REQUIRED');
    const works = await api.begin('works', 'Work');
    const reading = new Following(api, works);
    await eventually(() => reading.reader.openText === 'Half');
    await api.begin('works', { user_message: 'And then?', on_conflict: 'enqueue' });
    return { works, asks, approval_id, key, files };
  }

  /** What the API says, without what goes on meanwhile. */
  async function answersOf(api: ApiClient, { files }: Told): Promise<object> {
    const get = async (path: string) => {
      const reply = await api.get(path);
      expect([path, reply.status]).toEqual([path, 200]);
      return reply.body;
    };
    const { items } = await get('/chats?limit=200');
    const chats = (items as { id: string }[]).filter(({ id }) => id !== 'works');
    const talk = await get('/chats/talk?state=all');
    const logs = [];
    for (const { id } of talk.interactions as Interaction[])
      logs.push((await api.follow({ chat_id: 'talk', id })).records);
    const contents = [];
    for (const { id } of files) contents.push(await get(`/files/${id}/content`));
    return {
      ...{ chats, talk, logs, contents },
      files: await get('/files'),
      rules: await get('/permissions/rules'),
      tasks: await get('/tasks?chat_id=talk'),
      audit: await get('/audit?limit=200'),
      keys: await get('/keys'),
      requests: await get('/requests'),
    };
  }
});
