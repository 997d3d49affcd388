import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient, Reply } from '../support/client/api-client.js';
import { builtServer } from '../support/server/built-server.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { Following } from '../support/store/following.js';
import { onStores, PGLITE, POSTGRES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { playScript, script } from '../support/model/scripted-answers.js';
import { ServerProcess } from '../support/server/server-process.js';

const call = (name: string) => script({ calls: [{ name, arguments: {} }] });
/**
 * No lease lapses in a test: what goes on does so because it was let go of, or its process is known
 * to be dead.
 */
const LEASE_TTL_MS = '600000';

describe('A server that is stopped', () => {
  let fake: FakeOpenAi;
  let servers: ServerProcess[] = [];

  const start = async (env: Environment, ...args: string[]): Promise<ServerProcess> => {
    const models = { MODEL: 'openai/fake', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: fake.baseUrl };
    const command = [await builtServer('dist/test/support/server/faulty-server.js'), ...args];
    const server = await ServerProcess.start({ ...models, LEASE_TTL_MS, ...env }, command);
    servers.push(server);
    return server;
  };

  beforeAll(async () => {
    fake = await FakeOpenAi.start();
    fake.otherwise(playScript);
  });
  afterEach(async () => {
    const ended = servers;
    servers = [];
    await Promise.all(ended.map((server) => server.kill('SIGKILL')));
    expect(fake.violations).toEqual([]);
  });
  afterAll(() => fake.stop());

  for (const { name, fault, create } of onStores(PGLITE, POSTGRES))
    (fault ? describe.skip : describe)(`on ${name}`, () => {
      let data: ProcessData;
      beforeAll(async () => {
        data = await create();
      });
      afterAll(() => data.remove());

      /** Somebody reads an interaction whose tool runs. */
      const running = async (api: ApiClient, tool: string): Promise<Following> => {
        const following = new Following(api, await api.begin(`${tool}-${name}`, call(tool)));
        await following.event('TOOL_OUTPUT_DELTA');
        return following;
      };

      it('stops tools, says so, and goes on with the rest at the next start', async () => {
        const env = { ...data.env, SHUTDOWN_GRACE_MS: '20000' };
        const server = await start(env);
        const api = await server.api();
        const [slow, again] = [await running(api, 'slow'), await running(api, 'again')];
        expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
        expect([await slow.closed(), await again.closed()]).toEqual(['ended', 'ended']);
        const told = slow.reader.find('TOOL_RESULT');
        expect(told).toMatchObject({ tool_name: 'slow', is_error: true });
        expect(told!.tool_output).toMatch(/server was stopped.*killed.*\nHalf of it is done\.$/s);
        expect(again.reader.list('TOOL_RESULT')).toEqual([]);

        const next = await (await start(env, '--again')).api();
        for (const following of [slow, again]) {
          await following.resume(next);
          const { faults, records } = await following.end();
          expect(faults).toEqual([]);
          expect(records.at(-1)).toMatchObject({ status: 'COMPLETED' });
          expect(following.reader.list('RESUMED')).toMatchObject([
            { attempt: 1, reason: 'the server was stopped' },
          ]);
        }
        expect(slow.reader.list('TOOL_RESULT')).toEqual([told]);
        expect(again.reader.list('TOOL_RESULT')).toMatchObject([{ tool_output: 'Done at last.' }]);
      });

      it('takes on nothing new, and waits neither for a tool nor a model that does not stop', async () => {
        const env = { ...data.env, SHUTDOWN_GRACE_MS: '12000' };
        const server = await start(env);
        const api = await server.api();
        const deaf = await running(api, 'deaf');
        const asked = fake.requests.length;
        await api.begin(`hangs-${name}`, script({ hang: true }));
        await fake.request(asked + 1);
        const ended = server.kill('SIGTERM');
        const refused = await eventuallyRefused(api, `new-${name}`);
        expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
        expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(refused.body).toMatchObject({ type: '/problems/shutting_down', status: 503 });
        expect((await api.post('/chats/import', '{"type":"end"}')).body).toMatchObject({
          type: '/problems/shutting_down',
        });
        expect((await api.get('/health/ready')).status).toBe(503);
        expect((await api.get('/health/live')).status).toBe(200);
        expect(await ended).toEqual({ code: 0, signal: null });
        expect(await deaf.closed()).toBe('ended');
        expect(deaf.reader.list('TOOL_RESULT')).toMatchObject([
          { is_error: true, tool_output: expect.stringMatching(/server was stopped.*killed/) },
        ]);
        const next = await (await start(env)).api();
        await deaf.resume(next);
        expect((await deaf.end()).records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        expect(deaf.reader.list('TOOL_RESULT')).toHaveLength(1);
      });

      // Of a server's database, another process could hold the lease.
      (name === POSTGRES.name ? it.skip : it)('goes on at once after it was killed', async () => {
        const again = await running(await (await start(data.env)).api(), 'again');
        await servers[0]!.kill('SIGKILL');
        await again.resume(await (await start(data.env, '--again')).api());
        expect((await again.end()).records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      });
    });
});

/** The answer to a new message as soon as the server has heard that it is to stop. */
async function eventuallyRefused(api: ApiClient, chat: string): Promise<Reply> {
  for (let n = 0; ; n++) {
    const path = `/chats/${chat}-${n}/interactions`;
    const reply = await api.post(path, { user_message: 'Hi' }, { accept: 'application/json' });
    if (reply.status !== 202) return reply;
  }
}
