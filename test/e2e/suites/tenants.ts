import { eventually } from '../../support/eventually.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import {
  PRINCIPAL_HEADER,
  PrincipalTestModule,
} from '../../support/server/principal-test.module.js';
import type { Servers, ServerUnderTest } from '../servers.js';

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Ask = (method: string, path: string, body?: object, headers?: object) => Promise<Answer>;

const QUESTION = script({ calls: [{ name: 'ask_human', arguments: { question: 'Which?' } }] });
let tenants = 0;

/** What a client may name. */
interface Names {
  readonly chat: string;
  readonly interaction: string;
  readonly agent: string;
}

export function describeTenants(servers: Servers): void {
  describe('What a principal does not see', () => {
    servers.run({}, testTenants, { modules: [PrincipalTestModule], isOwn: true });
  });
}

function testTenants(server: ServerUnderTest): void {
  const as =
    (principal: string): Ask =>
    async (method, path, body, headers = {}) => {
      const reply = await fetch(server.api.url + path, {
        method,
        headers: {
          ...server.api.headers,
          ...{ [PRINCIPAL_HEADER]: principal, accept: 'application/json', ...headers },
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: reply.status, text: await reply.text() };
    };
  beforeAll(() => server.fake.otherwise(playScript));

  /** A chat of Ann in a tenant of its own, with a question, a task and a rule. */
  const setUp = async () => {
    const tenant = `tenant${++tenants}${Math.random().toString(36).slice(2)}`;
    const ann = as(`${tenant}/ann/chat,decide`);
    const chat = `plans-${tenants}`;
    const message = { user_message: QUESTION };
    const key = { 'idempotency-key': 'key-1' };
    const started = await ann('POST', `/chats/${chat}/interactions`, message, key);
    expect(started.status).toBe(202);
    const { id: interaction } = JSON.parse(started.text) as { id: string };
    const pending = async () =>
      (JSON.parse((await ann('GET', `/requests?chat_id=${chat}`)).text) as { items: Named[] })
        .items;
    await eventually(async () => (await pending()).length > 0);
    const [{ agent_id: agent }] = (await pending()) as [Named];
    const names: Names = { chat, interaction, agent };
    return { tenant, ann, names };
  };

  it('becomes visible with the chat, but answers no key of another user', async () => {
    const { tenant, ann, names } = await setUp();
    const path = `/chats/${names.chat}`;
    const ben = as(`${tenant}/ben/chat`);
    expect((await ann('PATCH', path, { visibility: 'tenant' })).status).toBe(200);
    const shown = await ben('GET', path);
    expect(JSON.parse(shown.text)).toMatchObject({ owner: 'ann', visibility: 'tenant' });
    expect((await ben('PATCH', path, { visibility: 'private' })).status).toBe(403);
    expect((await ben('DELETE', path)).status).toBe(403);
    const body = { user_message: QUESTION };
    const key = { 'idempotency-key': 'key-1' };
    expect((await ben('POST', `${path}/interactions`, body, key)).status).toBe(422);
    expect(await ann('POST', `${path}/interactions`, body, key)).toMatchObject({
      status: 202,
      text: expect.stringContaining(names.interaction),
    });
  });

  it('leaves the id of a chat free in another tenant', async () => {
    const { names, ann } = await setUp();
    const other = as('another/ann/chat');
    expect((await other('POST', '/chats', { id: names.chat, title: 'Mine' })).status).toBe(201);
    expect((await other('DELETE', `/chats/${names.chat}`)).status).toBe(204);
    expect((await ann('GET', `/chats/${names.chat}`)).status).toBe(200);
  });

  it('is neither its tenant nor its internal name, for those who see it', async () => {
    const { tenant, ann, names } = await setUp();
    const viewer = { tenant_id: tenant, user_id: 'ann', is_admin: false };
    const { uid } = (await server.stores.chats.findChat(names.chat, viewer))!;
    const { chat, interaction, agent } = names;
    for (const path of [
      ...['/chats', `/chats/${chat}`, `/chats/${chat}/log`, `/requests`, `/tasks?chat_id=${chat}`],
      ...[`/chats/${chat}/interactions/${interaction}`, `/agents/${agent}`, '/permissions/rules'],
      `/agents/tree?chat_id=${chat}`,
    ]) {
      const { status, text } = await ann('GET', path);
      expect(status).toBe(200);
      for (const secret of [uid, tenant, 'chat_uid', 'started_by'])
        expect(text).not.toContain(secret);
    }
  });

  it('needs the scope admin to make rules for others', async () => {
    const ben = as('rules/ben/decide');
    const rule = { decision: 'allow', matcher: { type: 'tool', pattern: 'x' } };
    for (const target of [
      { scope: 'global' },
      { scope: 'agent', scope_id: 'react' },
      { scope: 'user', scope_id: 'ann' },
    ])
      expect((await ben('POST', '/permissions/rules', { ...rule, ...target })).status).toBe(403);
    const own = await ben('POST', '/permissions/rules', { ...rule, scope: 'user' });
    expect(JSON.parse(own.text)).toMatchObject({ scope: 'user', scope_id: 'ben' });
    const check = { tool_name: 'x', tool_input: {} };
    const decisions = ['rules/ben/chat', 'rules/ann/chat', 'others/ben/chat'].map(async (who) => {
      const { text } = await as(who)('POST', '/permissions/check', check);
      return (JSON.parse(text) as { decision: string }).decision;
    });
    expect(await Promise.all(decisions)).toEqual(['allow', 'ask', 'ask']);
  });
}

interface Named {
  readonly agent_id: string;
}
