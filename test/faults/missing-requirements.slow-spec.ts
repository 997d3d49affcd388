import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/client/api-client.js';
import { Person } from '../support/client/person.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { onStores, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { Following } from '../support/store/following.js';
import { makeToolAsk } from '../support/tools/make-tool-ask.js';

const REVIEWER = '---\nname: reviewer\ndescription: Reviews.\n---\nYou review.\n';
const WRITES = { name: 'write', arguments: { path: 'note.txt', content: 'paid' } };

for (const { name, fault, create } of onStores(POSTGRES))
  (fault ? describe.skip : describe)(`An interaction that waits for its server, on ${name}`, () => {
    let data: ProcessData;
    let fake: FakeOpenAi;
    let folder: string;
    let server: ServerProcess | undefined;
    let api: ApiClient;
    let chats = 0;
    let chat: string;
    const person = new Person(() => api);

    beforeAll(async () => {
      data = await create();
      fake = await FakeOpenAi.start();
      fake.otherwise(playScript);
    });
    beforeEach(async () => {
      chat = `chat-${++chats}`;
      folder = await mkdtemp(join(tmpdir(), 'parley-requirements-'));
      await mkdir(join(folder, 'agents'));
      await mkdir(join(folder, 'roots/project'), { recursive: true });
      await writeFile(join(folder, 'agents/reviewer.md'), REVIEWER);
    });
    afterEach(async () => {
      await server?.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
      expect(fake.violations).toEqual([]);
    });
    afterAll(async () => {
      await fake.stop();
      await data.remove();
    });

    const start = async (env: Environment = {}): Promise<void> => {
      await server?.kill('SIGKILL');
      server = await ServerProcess.start({
        ...{ MODEL: 'demo/script', OPENAI_BASE_URL: fake.baseUrl, LEASE_TTL_MS: '4000' },
        ...{ AGENTS_DIR: join(folder, 'agents'), WORKSPACE_ROOTS: join(folder, 'roots') },
        ...{ PARK_AFTER_MS: '0', ...data.env, ...env },
      });
      api = await server.api();
    };

    /** A write, in a folder that the chat names, that a person is asked about. */
    const ask = async (): Promise<{ following: Following; approval_id: string }> => {
      await start();
      await makeToolAsk(api, chat, 'write');
      const settings = { workspace: join(folder, 'roots/project') };
      expect((await api.patch(`/chats/${chat}`, { settings })).status).toBe(200);
      const body = {
        ...{ user_message: script({ calls: [WRITES] }) },
        ...{ agent: 'reviewer', model: 'openai/fake' },
      };
      const following = new Following(api, await api.begin(chat, body));
      const { approval_id } = await following.record('APPROVAL_REQUIRED');
      return { following, approval_id };
    };

    /** As `GET /interactions` has it. */
    const awaited = async (): Promise<unknown> => {
      const { items } = (await api.get(`/interactions?chat_id=${chat}`)).body;
      return items[0]?.waits_for;
    };

    const approve = async (following: Following, approval_id: string): Promise<void> => {
      expect((await person.approve(following.of, approval_id)).status).toBe(200);
      const again = await person.approve(following.of, approval_id);
      expect(again.body.type).toBe('/problems/already_processed');
    };

    /** It goes on by itself, and its write is made once, in one turn after another (I3, I4, I5). */
    const expectWhole = async (following: Following): Promise<void> => {
      const reader = await following.end();
      expect(reader.faults).toEqual([]);
      expect(reader.list('INTERACTION_COMPLETE')).toMatchObject([{ status: 'COMPLETED' }]);
      for (const type of ['APPROVED', 'TOOL_STARTED', 'TOOL_RESULT'] as const)
        expect(reader.list(type)).toHaveLength(1);
      expect(reader.list('TURN_COMPLETED')).toHaveLength(2);
      const codes = reader.list('NOTICE').map(({ code }) => code);
      expect(codes).toEqual(['requirement_missing', 'requirement_met']);
      expect(await readFile(join(folder, 'roots/project/note.txt'), 'utf8')).toBe('paid');
    };

    it.each([
      ['agent:reviewer', () => ({ AGENTS_DIR: join(folder, 'none') })],
      ['model:openai/fake', () => ({ OPENAI_BASE_URL: undefined })],
      ['folder', () => ({ WORKSPACE_ROOTS: undefined })],
    ])('goes on after a start that has it again: %s', async (waits_for, without) => {
      const env = without();
      const asked = fake.requests.length;
      const { following, approval_id } = await ask();
      await start(env);
      await following.resume(api);
      await approve(following, approval_id);
      const { message } = await following.record('NOTICE');
      expect(message).toMatch(/^The server lacks the /);
      await eventually(async () => (await awaited()) === waits_for);
      await start(env); // it is parked meanwhile
      await following.resume(api);
      expect(await awaited()).toBe(waits_for);
      await start();
      await following.resume(api);
      await expectWhole(following);
      expect(fake.requests).toHaveLength(asked + 2);
    });

    it.each([
      ['agent:reviewer', 'agents/reviewer.md'],
      ['folder', 'roots/project'],
    ])('goes on in the same process when it is back: %s', async (waits_for, path) => {
      const { following, approval_id } = await ask();
      await rename(join(folder, path), join(folder, 'away'));
      await start();
      await following.resume(api);
      await approve(following, approval_id);
      await eventually(async () => (await awaited()) === waits_for);
      await rename(join(folder, 'away'), join(folder, path));
      await expectWhole(following);
    });

    it('ends at once with a cancel (I7)', async () => {
      const { following, approval_id } = await ask();
      await start({ AGENTS_DIR: join(folder, 'none') });
      await following.resume(api);
      await approve(following, approval_id);
      await eventually(async () => (await awaited()) === 'agent:reviewer');
      const busy = await api.post(`/chats/${chat}/interactions`, { user_message: 'Hello' });
      expect(busy).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('until the server has agent:reviewer again') },
      });
      expect((await person.cancel(following.of, '?wait=true')).body).toMatchObject({
        status: 'CANCELLED',
      });
      const reader = await following.end();
      expect(reader.faults).toEqual([]);
      expect(reader.list('TOOL_STARTED')).toEqual([]);
    });
  });
