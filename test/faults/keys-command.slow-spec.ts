import { randomBytes } from 'node:crypto';
import type { Environment } from '../../src/config/load-config.js';
import type { ApiClient } from '../support/client/api-client.js';
import { keys } from '../support/server/keys-command.js';
import { FILES, onStores, PGLITE } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

const ADMIN_KEY = 'the-admin-key-of-tests-0123456789-abcdef';

for (const store of onStores(PGLITE))
  describe(`npm run keys on ${store.name}`, () => {
    let data: ProcessData;
    let env: Environment;
    let key: string;
    let id: string;
    beforeAll(async () => {
      data = await store.create();
      env = { ...data.env, AUTH: 'keys', ADMIN_KEY };
    });
    afterAll(() => data.remove());

    it('makes a key, and lists it', async () => {
      const of = ['--tenant', 'acme', '--user', 'ann', '--scopes', 'chat,decide'];
      const made = await keys(env, 'create', ...of);
      expect(made).toMatchObject({ code: 0, said: expect.stringMatching(/^parley_\w+\n$/) });
      key = made.said.trim();
      id = made.said.split('_')[1]!;
      const listed = await keys(env, 'list', '--tenant', 'acme');
      expect(JSON.parse(listed.said)).toMatchObject({
        ...{ id, user_id: 'ann', scopes: ['chat', 'decide'] },
      });
    });

    it('made one that a server takes, beside which it does nothing', async () => {
      const server = await ServerProcess.start(env);
      const api = await server.api();
      expect((await api.get('/chats')).status).toBe(401);
      expect((await api.bearing(key).get('/chats')).status).toBe(200);
      const { body } = await api.bearing(ADMIN_KEY).get('/keys?tenant_id=acme');
      expect(body.items).toHaveLength(1);
      const locked = await keys(env, 'list');
      expect(locked.code).toBe(1);
      expect(locked.said).toMatch(/A server is using .* Use its API with ADMIN_KEY: POST \/keys/);
      await server.kill('SIGTERM');
      expect(server.output).not.toContain(key.split('_')[2]);
    });

    it('deletes it, once', async () => {
      expect(await keys(env, 'delete', id)).toMatchObject({ code: 0 });
      expect(await keys(env, 'delete', id)).toMatchObject({ code: 1 });
      expect((await keys(env, 'list', '--tenant', 'acme')).said).toContain('has no keys');
    });
  });

for (const store of onStores(PGLITE))
  describe(`npm run keys -- rotate on ${store.name}`, () => {
    it('wraps the data keys with the first key, after which the former one can go', async () => {
      const data = await store.create();
      const [one, two] = ['old', 'new'].map(
        (id) => `${id}:${randomBytes(32).toString('base64')}`,
      ) as [string, string];
      const serve = async (ENCRYPTION_KEYS: string, work: (api: ApiClient) => Promise<void>) => {
        const server = await ServerProcess.start({ ...data.env, ENCRYPTION_KEYS });
        await work(await server.api());
        await server.kill('SIGTERM');
      };
      const titleOf = async (api: ApiClient) => (await api.get('/chats/kept')).body.title;
      try {
        await serve(one, async (api) => {
          await api.post('/chats', { id: 'kept', title: 'A title' });
        });
        expect(await keys(data.env, 'rotate')).toMatchObject({ code: 64 });
        const early = await keys({ ...data.env, ENCRYPTION_KEYS: two }, 'rotate');
        expect(early).toMatchObject({
          code: 1,
          said: expect.stringContaining('lacks the key "old"'),
        });
        const rotated = await keys({ ...data.env, ENCRYPTION_KEYS: `${two},${one}` }, 'rotate');
        expect(rotated).toMatchObject({ code: 0, said: expect.stringContaining('1 data keys') });
        await serve(two, async (api) => {
          expect(await titleOf(api)).toBe('A title');
        });
      } finally {
        await data.remove();
      }
    });
  });

describe('npm run keys', () => {
  it.each([
    [],
    ['steal'],
    ['create'],
    ['create', '--user', 'ann'],
    ['create', '--user', 'ann', '--scopes', 'chat,root'],
    ['create', '--user', 'ann', '--scopes', 'chat', '--tenant', '../x'],
    ['create', '--user', 'ann', '--scopes', 'chat', '--expires', 'soon'],
    ['create', 'ann'],
    ['list', '--all'],
    ['delete'],
  ])('explains itself when it does not understand: %s', async (...args) => {
    const data = await FILES.create();
    try {
      expect(await keys(data.env, ...args)).toMatchObject({
        code: 64,
        said: expect.stringContaining('npm run keys -- create'),
      });
    } finally {
      await data.remove();
    }
  });
});

describe('A server that others can reach', () => {
  it('does not start without AUTH, and says what to set', async () => {
    const data = await FILES.create();
    try {
      const server = await ServerProcess.spawn({ ...data.env, HOST: '0.0.0.0' });
      expect(await server.ended).toMatchObject({ code: 78 });
      expect(server.output).toMatch(/AUTH: is not set, and HOST=0\.0\.0\.0 .* Set AUTH=keys/);
    } finally {
      await data.remove();
    }
  });
});
