import type { AuditEntry } from '../../../src/audit/audit-entry.js';
import { SCOPES, withIncluded } from '../../../src/auth/principal.js';
import type { Scope } from '../../../src/auth/principal.js';
import { eventually } from '../../support/eventually.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { operationsOf, routesOf } from '../operations.js';
import type { Operation } from '../operations.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import type { Servers } from '../servers.js';

const PUBLIC = ['get /health/live', 'get /health/ready', 'get /problems/{code}'];

export function describeAuthAccess(servers: Servers): void {
  describe('What a scope allows', () => {
    servers.run(
      WITH_KEYS,
      (server) => {
        let operations: readonly Operation[];
        const clients = new Map<Scope, ReturnType<typeof server.api.bearing>>();
        beforeAll(async () => {
          server.fake.otherwise(playScript);
          operations = await operationsOf(server);
          for (const scope of SCOPES)
            clients.set(scope, server.api.bearing((await makeKey(server.api, [scope])).key));
        });

        it('is said by every route that there is', () => {
          const routes = routesOf(server);
          expect(routes.length).toBeGreaterThan(30);
          expect(operations.map(({ name }) => name).toSorted()).toEqual(routes.toSorted());
          expect(operations.filter(({ access }) => !access)).toEqual([]);
          const open = operations.filter(({ access }) => isPublic(access));
          expect(open.map(({ name }) => name).toSorted()).toEqual(PUBLIC);
        });

        it('is described, with how it is refused', () => {
          for (const { name, access, security, responses } of operations) {
            if (isPublic(access)) continue;
            expect([name, security]).toEqual([
              name,
              expect.arrayContaining([{ bearer: [] }, { 'x-api-key': [] }]),
            ]);
            expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403']));
          }
        });

        it('is refused with 401 to nobody, and with 403 to others, before anything is looked up', async () => {
          for (const { name, method, path, access } of operations) {
            if (!access || isPublic(access)) continue;
            const url = path.replaceAll(/\{\w+\}/g, 'none');
            const body = method === 'GET' ? {} : { body: '{}' };
            expect([name, (await server.api.send(method, url, body)).status]).toEqual([name, 401]);
            const others = SCOPES.filter((scope) => !allows(scope, access));
            for (const scope of others) {
              const reply = await clients.get(scope)!.send(method, url, body);
              expect([name, scope, reply.status, reply.body]).toEqual([
                ...[name, scope, 403],
                expect.objectContaining({ type: '/problems/missing_scope', scope: access[0] }),
              ]);
            }
          }
        });

        it('lets pass who has it', async () => {
          for (const [scope, path] of [
            ['chat', '/chats'],
            ['admin', '/chats'],
            ['operate', '/metrics'],
            ['admin', '/keys'],
          ] as const)
            expect([path, (await clients.get(scope)!.get(path)).status]).toEqual([path, 200]);
          const decided = await clients.get('decide')!.post('/agents/none/intervene', {
            user_comment: 'delete',
          });
          expect(decided.status).toBe(404);
        });

        it('is audited where it lacks, for a route once a minute, also if a service refuses', async () => {
          const keyOf = async (user_id: string, scopes: readonly Scope[]) =>
            server.api.bearing(
              (await makeKey(server.api, scopes, { user_id, tenant_id: 'refusals' })).key,
            );
          const user = await keyOf('ben', ['chat', 'decide']);
          const [boss, ann] = [await keyOf('boss', ['admin']), await keyOf('ann', ['chat'])];
          const rule = { decision: 'allow', matcher: { type: 'all' }, scope: 'global' };
          for (let n = 0; n < 3; n++) {
            expect((await user.get('/keys')).status).toBe(403);
            expect((await user.post('/permissions/rules', rule)).status).toBe(403);
          }
          const wanted = { user_id: 'eve', scopes: ['operate'] };
          expect((await boss.post('/keys', wanted)).status).toBe(403);
          expect((await boss.get('/keys?tenant_id=other')).status).toBe(403);
          await ann.post('/chats', { id: 'shared', visibility: 'tenant' });
          expect((await user.delete('/chats/shared')).status).toBe(403);
          const refusals = async () => {
            const { items } = (await boss.get('/audit?limit=200')).body as { items: AuditEntry[] };
            return items.filter(({ action }) => action === 'access.refused');
          };
          await eventually(async () => (await refusals()).length >= 5);
          const key_id = expect.any(String);
          expect((await refusals()).map(({ detail }) => detail).toReversed()).toEqual([
            { key_id, code: 'missing_scope', route: 'GET /keys', scope: 'admin' },
            { key_id, code: 'missing_scope', route: 'POST /permissions/rules', scope: 'admin' },
            { key_id, code: 'missing_scope', route: 'POST /keys', scope: 'operate' },
            { key_id, code: 'foreign_tenant', route: 'GET /keys' },
            { key_id, code: 'not_owner', route: 'DELETE /chats/:chat_id' },
          ]);
        });

        it('lets operate stop an interaction of the tenant that it does not see, and only that', async () => {
          const ann = server.api.bearing((await makeKey(server.api, ['chat'])).key);
          const user = async (user_id: string, scopes: readonly Scope[], tenant_id = 'default') =>
            server.api.bearing((await makeKey(server.api, scopes, { user_id, tenant_id })).key);
          const oscar = await user('oscar', ['operate']);
          const others = [
            await user('ben', ['chat', 'decide']),
            await user('eve', ['operate', 'admin'], 'elsewhere'),
          ];
          const of = await ann.begin('hers', script({ hang: true }));
          const path = `/chats/hers/interactions/${of.id}`;
          for (const other of others) expect((await other.post(`${path}/cancel`)).status).toBe(404);
          expect((await oscar.get(path)).status).toBe(403);
          expect((await (await user('olga', ['operate', 'chat'])).get(path)).status).toBe(404);
          const wrong = `/chats/none/interactions/${of.id}/cancel`;
          expect((await oscar.post(wrong)).status).toBe(404);
          const { status, body } = await oscar.post(`${path}/cancel?wait=true`);
          expect([status, body]).toMatchObject([200, { status: 'CANCELLED', stopped: [] }]);
          expect((await ann.follow(of)).find('CANCELLED')).toMatchObject({
            by: { kind: 'user', user_id: 'oscar' },
          });
        });

        it('needs decide for a start after which nobody is asked', async () => {
          const start = '/chats/none/interactions';
          for (const path of [start, `${start}/none/edit`])
            for (const approval_mode of ['auto', 'defer'])
              expect(await clients.get('chat')!.post(path, { approval_mode })).toMatchObject({
                status: 403,
                body: { scope: 'decide' },
              });
          const body = { approval_mode: 'ask' };
          expect((await clients.get('chat')!.post(start, body)).status).toBe(400);
        });

        it('needs decide for settings after which nobody is asked, and for starts with them', async () => {
          const needsDecide = { status: 403, body: { scope: 'decide' } };
          const chat = clients.get('chat')!;
          const both = server.api.bearing((await makeKey(server.api, ['chat', 'decide'])).key);
          const settings = { approval_mode: 'auto' };
          expect(await chat.post('/chats', { settings })).toMatchObject(needsDecide);
          const shared = { id: 'deciding', visibility: 'tenant', settings: { agent: 'react' } };
          expect((await both.post('/chats', shared)).status).toBe(201);
          expect(await chat.patch('/chats/deciding', { settings })).toMatchObject(needsDecide);
          expect((await both.patch('/chats/deciding', { settings })).status).toBe(200);
          const start = '/chats/deciding/interactions?wait=true';
          const hello = { user_message: 'Hello' };
          expect(await chat.post(start, hello)).toMatchObject(needsDecide);
          expect((await chat.post(start, { ...hello, approval_mode: 'ask' })).status).toBe(200);
          expect((await both.post(start, hello)).status).toBe(200);
        });

        it('needs decide for rules, which decide in advance', async () => {
          const rule = { scope: 'user', decision: 'allow', matcher: { type: 'all' } };
          const needsDecide = { status: 403, body: { scope: 'decide' } };
          const [chat, decide] = [clients.get('chat')!, clients.get('decide')!];
          expect(await chat.post('/permissions/rules', rule)).toMatchObject(needsDecide);
          expect(await chat.delete('/permissions/rules?scope=user')).toMatchObject(needsDecide);
          expect(await chat.delete('/permissions/rules/rule_1')).toMatchObject(needsDecide);
          expect((await decide.post('/permissions/rules', rule)).status).toBe(201);
        });

        it('needs admin for rules that hold in the chats of others', async () => {
          const matcher = { type: 'all' };
          const needsAdmin = { status: 403, body: { scope: 'admin' } };
          const decide = clients.get('decide')!;
          for (const scope of ['agent', 'global']) {
            const rule = {
              scope,
              scope_id: scope === 'agent' ? 'react' : null,
              decision: 'deny',
              matcher,
            };
            expect(await decide.post('/permissions/rules', rule)).toMatchObject(needsAdmin);
            expect(await decide.delete(`/permissions/rules?scope=${scope}`)).toMatchObject(
              needsAdmin,
            );
            expect((await clients.get('admin')!.post('/permissions/rules', rule)).status).toBe(201);
            const body = { approval_id: 'none', approved: true, remember: scope };
            const approve = '/chats/none/interactions/none/approve';
            expect(await decide.post(approve, body)).toMatchObject(needsAdmin);
          }
        });
      },
      { isOwn: true },
    );
  });

  describe('A server whose first mode is auto', () => {
    servers.run(
      { ...WITH_KEYS, ALLOWED_APPROVAL_MODES: 'auto,deny' },
      (server) => {
        it('needs decide for a start that does not say its mode', async () => {
          const chat = server.api.bearing((await makeKey(server.api, ['chat'])).key);
          const body = { user_message: 'Go' };
          const path = '/chats/moded/interactions';
          const needsDecide = { status: 403, body: { scope: 'decide' } };
          expect(await chat.post(path, body)).toMatchObject(needsDecide);
          const denying = { ...body, approval_mode: 'deny', on_disconnect: 'continue' };
          expect((await chat.post(path, denying)).status).toBe(200);
        });
      },
      { isOwn: true },
    );
  });
}

function isPublic(access: Operation['access']): boolean {
  return access?.[0] === 'public';
}

function allows(scope: Scope, access: Operation['access'] & object): boolean {
  return access.some((each) => withIncluded([scope]).has(each as Scope));
}
