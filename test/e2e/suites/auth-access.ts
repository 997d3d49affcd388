import { SCOPES } from '../../../src/auth/principal.js';
import type { Scope } from '../../../src/auth/principal.js';
import { operationsOf, routesOf } from '../operations.js';
import type { Operation } from '../operations.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import type { Servers } from '../servers.js';

const PUBLIC = ['get /health/live', 'get /health/ready'];

export function describeAuthAccess(servers: Servers): void {
  describe('What a scope allows', () => {
    servers.run(
      WITH_KEYS,
      (server) => {
        let operations: readonly Operation[];
        const clients = new Map<Scope, ReturnType<typeof server.api.bearing>>();
        beforeAll(async () => {
          operations = await operationsOf(server);
          for (const scope of SCOPES)
            clients.set(scope, server.api.bearing((await makeKey(server.api, [scope])).key));
        });

        it('is said by every route that there is', () => {
          const routes = routesOf(server);
          expect(routes.length).toBeGreaterThan(30);
          expect(operations.map(({ name }) => name).toSorted()).toEqual(routes.toSorted());
          expect(operations.filter(({ access }) => !access)).toEqual([]);
          const open = operations.filter(({ access }) => access === 'public');
          expect(open.map(({ name }) => name).toSorted()).toEqual(PUBLIC);
        });

        it('is described, with how it is refused', () => {
          for (const { name, access, security, responses } of operations) {
            if (access === 'public') continue;
            expect([name, security]).toEqual([
              name,
              expect.arrayContaining([{ bearer: [] }, { 'x-api-key': [] }]),
            ]);
            expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403']));
          }
        });

        it('is refused with 401 to nobody, and with 403 to others, before anything is looked up', async () => {
          for (const { name, method, path, access } of operations) {
            if (access === undefined || access === 'public') continue;
            const url = path.replaceAll(/\{\w+\}/g, 'none');
            const body = method === 'GET' ? {} : { body: '{}' };
            expect([name, (await server.api.send(method, url, body)).status]).toEqual([name, 401]);
            const others = SCOPES.filter((scope) => !allows(scope, access));
            for (const scope of others) {
              const reply = await clients.get(scope)!.send(method, url, body);
              expect([name, scope, reply.status, reply.body]).toEqual([
                ...[name, scope, 403],
                expect.objectContaining({ type: '/problems/missing_scope', scope: access }),
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

/** `admin` includes what concerns chats. */
function allows(scope: Scope, access: Scope): boolean {
  return scope === access || (scope === 'admin' && (access === 'chat' || access === 'decide'));
}
