import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { rawRequest } from '../../support/client/raw-request.js';
import { ADMIN_KEY, WITH_KEYS, makeKey } from '../with-keys.js';
import type { Servers } from '../servers.js';

const ODD_SERVER = join(import.meta.dirname, '../../support/tools/mcp/odd-server.mjs');
const PROBLEM = 'application/problem+json';

export function describeAuthKeys(servers: Servers): void {
  describe('A server with AUTH=keys', () => {
    servers.run(
      WITH_KEYS,
      (server) => {
        const admin = () => server.api.bearing(ADMIN_KEY);
        const statusWith = async (key: string) =>
          (await server.api.bearing(key).get('/chats')).status;

        it('refuses whoever brings no credential, before it reads a body', async () => {
          for (const [method, path] of [
            ['GET', '/chats'],
            ['GET', '/metrics'],
            ['GET', '/nowhere'],
            ['OPTIONS', '/chats'],
            ['DELETE', '/keys/x'],
          ] as const) {
            const { status, headers, body } = await server.api.send(method, path);
            expect([path, status]).toEqual([path, 401]);
            expect(headers.get('www-authenticate')).toBe('Bearer realm="parley"');
            expect(headers.get('content-type')).toContain(PROBLEM);
            expect(body).toMatchObject({ type: '/problems/unauthenticated', instance: path });
          }
          const broken = await server.api.post('/chats', '{"id": ');
          expect(broken.status).toBe(401);
        });

        it('tells everybody that it lives and is ready, and its version with a credential', async () => {
          expect(await server.api.get('/health/live')).toMatchObject({ status: 200 });
          for (const api of [server.api, server.api.bearing('parley_wrong_wrong')])
            expect((await api.get('/health/ready')).body).toEqual({ status: 'ok' });
          expect((await admin().get('/health/ready')).body).toHaveProperty('sandbox');
          const { key } = await makeKey(server.api, ['chat']);
          expect((await server.api.bearing(key).get('/health/ready')).body).toEqual({
            ...{ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
          });
        });

        it('shows its API to everybody', async () => {
          for (const path of ['/docs', '/docs-json', '/docs/swagger-ui.css'])
            expect((await server.api.get(path)).status).toBe(200);
        });

        it('takes a key as bearer token, in any case of that word, or as x-api-key', async () => {
          const { key } = await makeKey(server.api, ['chat']);
          const url = `${server.api.url}/chats`;
          for (const [name, value] of [
            ['Authorization', `Bearer ${key}`],
            ['authorization', `bEARER   ${key}`],
            ['X-API-Key', key],
            ['x-api-key', ADMIN_KEY],
          ] as const)
            expect((await rawRequest(url, [name, value])).status).toBe(200);
        });

        it('refuses odd, repeated and contradicting headers', async () => {
          const { key } = await makeKey(server.api, ['chat']);
          const [bearer, url] = [`Bearer ${key}`, `${server.api.url}/chats`];
          const odd = [
            ['Authorization', ''],
            ['Authorization', 'Bearer'],
            ['Authorization', 'Bearer '],
            ['Authorization', key],
            ['Authorization', `Basic ${Buffer.from(`a:${key}`).toString('base64')}`],
            ['Authorization', `${bearer}, ${bearer}`],
            ['Authorization', `${bearer} more`],
            ['Authorization', `Bearer ${key.slice(0, -1)}`],
            ['Authorization', `Bearer ${key}0`],
            ['Authorization', `Bearer ${key.toUpperCase()}`],
            ['Authorization', `Bearer ${'x'.repeat(9000)}`],
            ['Authorization', bearer, 'Authorization', bearer],
            ['Authorization', bearer, 'x-api-key', key],
            ['x-api-key', key, 'X-Api-Key', key],
            ['x-api-key', ''],
            ['x-api-key', bearer],
            ['Authorization', bearer, 'x-api-key', ''],
            ['Authorization', `Bearer ${ADMIN_KEY}x`],
          ];
          for (const headers of odd) {
            const answer = await rawRequest(url, headers);
            expect([headers, answer.status]).toEqual([headers, 401]);
            expect(answer.headers['www-authenticate']).toBe(
              'Bearer realm="parley", error="invalid_token"',
            );
            expect(answer.text).not.toContain(key.slice(40));
          }
        });

        it('says what is wrong with a key, but not whether its id exists', async () => {
          const { key } = await makeKey(server.api, ['chat']);
          const expires_at = new Date(server.clock.now().getTime() + 60_000).toISOString();
          const { key: old } = await makeKey(server.api, ['chat'], { expires_at });
          server.clock.pass(60_000);
          const detailOf = async (text: string) =>
            (await server.api.bearing(text).get('/chats')).body.detail as string;
          const wrong = key.replace(/.$/, (end) => (end === '0' ? '1' : '0'));
          const [told, unknown] = [await detailOf(wrong), `parley_${'0'.repeat(24)}_`];
          expect(told).toContain('The key is unknown or deleted.');
          expect(await detailOf(unknown + key.split('_')[2])).toBe(told);
          expect(await detailOf(`${key}0`)).toContain('The key is malformed');
          expect(await detailOf(old)).toContain('The key has expired.');
          expect((await server.api.get('/chats')).body.detail).toContain('A credential is needed.');
        });

        it('names the holder of ADMIN_KEY in no other key of its tenant', async () => {
          const body = { user_id: 'admin', scopes: ['chat'] };
          expect(await admin().post('/keys', body)).toMatchObject({
            status: 400,
            body: { errors: [{ field: 'user_id' }] },
          });
          expect((await admin().post('/keys', { ...body, tenant_id: 'admins' })).status).toBe(201);
        });

        it('refuses a key with the secret of another one', async () => {
          const [a, b] = [await makeKey(server.api, ['chat']), await makeKey(server.api, ['chat'])];
          const mixed = `parley_${a.id}_${b.key.split('_').at(-1)}`;
          expect(await statusWith(mixed)).toBe(401);
          expect(
            await statusWith(`parley_${randomBytes(12).toString('hex')}_${'0'.repeat(64)}`),
          ).toBe(401);
        });

        it('shows a key once, and never its secret or hash again', async () => {
          const made = await admin().post('/keys', {
            ...{ user_id: 'shown', scopes: ['chat'], expires_at: '2099-01-01T00:00:00+01:00' },
          });
          expect(made.status).toBe(201);
          const { key, ...view } = made.body;
          expect(key).toMatch(new RegExp(`^parley_${view.id}_[0-9a-f]{64}$`));
          expect(view).toEqual({
            ...{ id: view.id, tenant_id: 'default', user_id: 'shown', scopes: ['chat'] },
            ...{ created_by: 'admin', expires_at: '2098-12-31T23:00:00.000Z' },
            created_at: expect.stringMatching(/Z$/),
          });
          const { body } = await admin().get('/keys?limit=200');
          expect(body.items).toContainEqual(view);
          expect(JSON.stringify(body)).not.toMatch(/[0-9a-f]{64}/);
        });

        it('lists keys in pages', async () => {
          const ids = [];
          for (let n = 0; n < 3; n++)
            ids.push((await makeKey(server.api, ['chat'], { tenant_id: 'paged' })).id);
          const first = (await admin().get('/keys?tenant_id=paged&limit=2')).body;
          const rest = await admin().get(
            `/keys?tenant_id=paged&limit=2&cursor=${first.next_cursor}`,
          );
          const items: { id: string }[] = [...first.items, ...rest.body.items];
          expect(items.map(({ id }) => id)).toEqual(ids);
          expect(rest.body.next_cursor).toBeNull();
        });

        it.each([
          { user_id: '', scopes: ['chat'] },
          { user_id: 'a\nb', scopes: ['chat'] },
          { user_id: 'ann', scopes: [] },
          { user_id: 'ann', scopes: ['root'] },
          { user_id: 'ann', scopes: ['chat'], tenant_id: '../other' },
          { user_id: 'ann', scopes: ['chat'], expires_at: 'soon' },
          { user_id: 'ann', scopes: ['chat'], expires_at: '2099-W01-1' },
          { user_id: 'ann', scopes: ['chat'], expires_at: '2099-366' },
          { user_id: 'ann', scopes: ['chat'], expires_at: '2020-01-01T00:00:00Z' },
          { user_id: 'ann', scopes: ['chat'], key: 'mine' },
        ])('refuses to make %j', async (body) => {
          expect((await admin().post('/keys', body)).status).toBe(400);
        });

        it('keeps the admins of tenants apart', async () => {
          const acme = await makeKey(server.api, ['admin'], { tenant_id: 'acme' });
          const other = await makeKey(server.api, ['chat'], { tenant_id: 'other' });
          const boss = server.api.bearing(acme.key);
          const body = { user_id: 'bob', scopes: ['chat', 'decide'] };
          const made = await boss.post('/keys', body);
          expect(made).toMatchObject({ status: 201, body: { tenant_id: 'acme' } });
          expect(await boss.post('/keys', { ...body, tenant_id: 'acme' })).toMatchObject({
            status: 201,
          });
          expect(await boss.post('/keys', { ...body, tenant_id: 'other' })).toMatchObject({
            status: 403,
            body: { type: '/problems/foreign_tenant' },
          });
          expect((await boss.get('/keys?tenant_id=other')).status).toBe(403);
          const foreign = await boss.delete(`/keys/${other.id}`);
          const unknown = await boss.delete('/keys/none');
          expect([foreign.status, unknown.status]).toEqual([404, 404]);
          expect(await statusWith(other.key)).toBe(200);
          expect((await boss.get('/keys')).body.items).toHaveLength(3);
          expect((await boss.delete(`/keys/${made.body.id}`)).status).toBe(204);
          expect((await admin().delete(`/keys/${other.id}`)).status).toBe(204);
        });

        it('audits a deletion in the tenant of the key', async () => {
          const acme = await makeKey(server.api, ['admin'], { tenant_id: 'audited' });
          const { id } = await makeKey(server.api, ['chat'], { tenant_id: 'audited' });
          expect((await admin().delete(`/keys/${id}`)).status).toBe(204);
          const { items } = (await server.api.bearing(acme.key).get('/audit?limit=1')).body;
          expect(items).toMatchObject([
            { action: 'key.deleted', tenant_id: 'audited', user_id: 'admin', detail: { id } },
          ]);
        });

        it('gives no key a scope that its creator lacks', async () => {
          const { key } = await makeKey(server.api, ['admin']);
          const body = { user_id: 'bob', scopes: ['chat', 'operate'] };
          expect(await server.api.bearing(key).post('/keys', body)).toMatchObject({
            status: 403,
            body: { type: '/problems/missing_scope', scope: 'operate' },
          });
        });

        it('accepts a deleted key for at most 2 s', async () => {
          const { id, key } = await makeKey(server.api, ['chat']);
          expect(await statusWith(key)).toBe(200);
          expect((await admin().delete(`/keys/${id}`)).status).toBe(204);
          await eventually(async () => (await statusWith(key)) === 401, 10_000);
          expect((await admin().delete(`/keys/${id}`)).status).toBe(404);
        });

        it('accepts an expired key no longer', async () => {
          const expires_at = new Date(server.clock.now().getTime() + 60_000).toISOString();
          const { key } = await makeKey(server.api, ['chat'], { expires_at });
          expect(await statusWith(key)).toBe(200);
          server.clock.pass(60_000);
          expect(await statusWith(key)).toBe(401);
        });

        it('keeps its keys through a restart', async () => {
          const { key } = await makeKey(server.api, ['chat']);
          await server.restart();
          expect(await statusWith(key)).toBe(200);
          expect(await statusWith(ADMIN_KEY)).toBe(200);
        });
      },
      { isOwn: true },
    );
  });

  describe('A server that takes no keys', () => {
    servers.run({ AUTH: 'none' }, (server) => {
      it('makes none, and says what to set', async () => {
        const made = await server.api.post('/keys', { user_id: 'ann', scopes: ['chat'] });
        expect(made).toMatchObject({
          status: 400,
          body: {
            type: '/problems/keys_not_accepted',
            detail: expect.stringMatching(/AUTH=keys /),
          },
        });
      });
    });
  });

  describe('A server with faulty files and tools', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-faulty-'));
    const MCP_CONFIG = join(folder, 'mcp.json');
    const mcpServers = { odd: { command: process.execPath, args: [ODD_SERVER] } };
    beforeAll(async () => {
      await writeFile(join(folder, 'faulty.md'), 'No front matter.');
      await writeFile(MCP_CONFIG, JSON.stringify({ mcpServers }));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    servers.run({ ...WITH_KEYS, AGENTS_DIR: folder, MCP_CONFIG }, (server) => {
      it('tells its operators only what is wrong with them', async () => {
        const admin = server.api.bearing(ADMIN_KEY);
        const { key } = await makeKey(server.api, ['chat']);
        const user = server.api.bearing(key);
        const odd = async (api: typeof admin) => (await api.get('/tools')).body.servers[0];
        await eventually(async () => (await odd(user)).state === 'ready');

        const problem = expect.stringMatching(/ bulky: its schema has/);
        expect(await odd(admin)).toMatchObject({ name: 'odd', state: 'ready', problem });
        expect(await odd(user)).toMatchObject({ name: 'odd', state: 'ready', problem: null });
        const { faults } = (await admin.get('/agent-types')).body;
        expect(faults).toMatchObject([{ file: expect.stringContaining('faulty.md') }]);
        expect((await user.get('/agent-types')).body).not.toHaveProperty('faults');
      });
    });
  });

  (servers.store.fault ? describe.skip : describe)('Another process with the same store', () => {
    it('accepts a new key, and a deleted one for at most 2 s', async () => {
      const opened = await servers.open();
      const here = await servers.start(opened.stores, { env: WITH_KEYS });
      const there = await servers.start(opened.stores, { env: WITH_KEYS, fake: here.fake });
      try {
        const { id, key } = await makeKey(here.api, ['chat']);
        const status = async () => (await there.api.bearing(key).get('/chats')).status;
        expect(await status()).toBe(200);
        await here.api.bearing(ADMIN_KEY).delete(`/keys/${id}`);
        await eventually(async () => (await status()) === 401, 10_000);
      } finally {
        await there.close();
        await here.stop();
        await opened.close();
      }
    });
  });
}
