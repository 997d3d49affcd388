import type { AuditEntry } from '../../../src/audit/audit-entry.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import type { Reply } from '../../support/client/api-client.js';
import { CallersModule, callerHeaders } from '../../support/server/callers.module.js';
import { Following } from '../../support/store/following.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Of = Pick<Interaction, 'chat_id' | 'id'>;

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Which secret city?' } };
const CLIENT_CALL = { name: 'open_door', arguments: { code: 'secret' } };
const CLIENT_TOOL = { name: 'open_door', description: '', input_schema: { type: 'object' } };
const HANGS = script({ hang: true });
const ANN = { kind: 'user', user_id: 'ann' };

/** What each user does, over HTTP. */
class User {
  constructor(
    private readonly server: ServerUnderTest,
    readonly id: string,
    private readonly tenant?: string,
  ) {}

  async send(method: string, path: string, body?: object): Promise<Reply> {
    const headers = { accept: 'application/json', ...callerHeaders(this.id, this.tenant) };
    return this.server.api.send(method, path, { headers, ...(body && { body: { ...body } }) });
  }

  async say(chat: string, user_message: string, more: object = {}): Promise<Following> {
    const body = { user_message, ...more };
    const reply = await this.send('POST', `/chats/${chat}/interactions`, body);
    expect(reply.status).toBe(202);
    return new Following(this.server.api, reply.body as Interaction);
  }

  act({ chat_id, id }: Of, action: string, body: object = {}): Promise<Reply> {
    return this.send('POST', `/chats/${chat_id}/interactions/${id}/${action}`, body);
  }

  /** Newest first. */
  async audit(query = ''): Promise<AuditEntry[]> {
    return (await this.send('GET', `/audit?${query}`)).body.items as AuditEntry[];
  }
}

export function describeAudit(servers: Servers): void {
  describe('What users do', () => {
    const modules = [HumanTestModule, CallersModule];
    servers.run({}, (server) => tests(server), { modules });
  });
}

function tests(server: ServerUnderTest): void {
  const ann = new User(server, 'ann');
  const bob = new User(server, 'bob');
  beforeAll(() => server.fake.otherwise(playScript));

  /** Those of a chat, oldest first. */
  const entriesOf = async (chat_id: string) => {
    const all = (await ann.audit('limit=200')).filter((entry) => entry.chat_id === chat_id);
    return all.reverse().map(({ user_id, action, detail }) => ({ user_id, action, detail }));
  };
  const actionsOf = async (chat_id: string) =>
    (await entriesOf(chat_id)).map(({ user_id, action }) => `${user_id} ${action}`);
  const settlementsOf = async ({ id }: Of) => {
    const { items } = (await ann.send('GET', `/requests?status=settled&interaction_id=${id}`)).body;
    return (items as { settlement: unknown }[]).map(({ settlement }) => settlement);
  };

  it('is named in the records of decisions, and where requests are listed', async () => {
    await makeToolAsk(server.api, 'decided', 'calculator');
    const calls = [CALCULATION, QUESTION, CLIENT_CALL];
    const following = await bob.say('decided', script({ calls }), { client_tools: [CLIENT_TOOL] });
    const { of } = following;
    const { approval_id } = await following.record('APPROVAL_REQUIRED');
    const { request_id } = await following.record('INPUT_REQUIRED');
    const { tool_call_id } = await following.record('TOOL_RESULT_REQUIRED');
    await ann.act(of, 'approve', { approval_id, approved: true, remember: 'session' });
    const again = await bob.act(of, 'approve', { approval_id, approved: false });
    expect(again.body).toMatchObject({
      decision: { approved: true, by: ANN },
      detail: expect.stringContaining('approved by the user ann'),
    });
    await ann.act(of, 'respond', { request_id, answer: 'Secret' });
    await ann.act(of, 'tool-results', { tool_call_id, tool_output: 'secret' });
    const reader = await following.end();
    expect(reader.find('APPROVED')).toMatchObject({ approval_id, by: ANN });
    expect(reader.find('APPROVED')).not.toHaveProperty('cause');
    expect(reader.find('INPUT_RECEIVED')).toMatchObject({ request_id, by: ANN });
    expect(await settlementsOf(of)).toMatchObject([{ by: ANN }, { by: ANN }, { by: ANN }]);

    const entries = await entriesOf('decided');
    const rule_id = expect.stringMatching(/^rule_/);
    const rule = { rule_id, scope: 'session', scope_id: 'decided' };
    expect(entries).toMatchObject([
      { user_id: 'local', action: 'chat.created' },
      { user_id: 'local', action: 'rule.added', detail: { ...rule, decision: 'ask' } },
      { user_id: 'ann', action: 'rule.added', detail: { ...rule, decision: 'allow' } },
      {
        ...{ user_id: 'ann', action: 'approval.approved' },
        detail: { approval_id, tool_name: 'calculator', modified: false },
      },
      { user_id: 'ann', action: 'request.answered', detail: { request_id, declined: false } },
      {
        ...{ user_id: 'ann', action: 'tool_result.given' },
        detail: { tool_call_id, tool_name: 'open_door', is_error: false },
      },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/secret|6\*7/i);
  });

  it('is named where they cancel, interrupt, stop an agent or delete a chat', async () => {
    const cancelled = await bob.say('cancelled', HANGS);
    await ann.act(cancelled.of, 'cancel');
    expect((await cancelled.end()).find('CANCELLED')).toMatchObject({ by: ANN });

    const interrupted = await bob.say('interrupted', HANGS);
    const next = await ann.say('interrupted', 'Next', { on_conflict: 'interrupt' });
    expect((await interrupted.end()).find('CANCELLED')).toMatchObject({ by: ANN });
    await next.end();

    const stopped = await bob.say('stopped', HANGS);
    const { agent_id } = await stopped.record('INTERACTION_STARTED');
    await ann.send('POST', `/agents/${agent_id}/intervene`, { user_comment: 'delete' });
    const reader = await stopped.end();
    expect(reader.find('CANCELLED')).toMatchObject({ by: ANN });
    expect(reader.find('AGENT_INTERVENED')).toMatchObject({ by: ANN });

    const deleted = await bob.say('deleted', HANGS);
    const ended = deleted.end();
    expect((await ann.send('DELETE', '/chats/deleted')).status).toBe(204);
    expect((await ended).find('CANCELLED')).toMatchObject({ by: ANN });

    expect(await actionsOf('cancelled')).toEqual(['bob chat.created', 'ann interaction.cancelled']);
    expect(await actionsOf('interrupted')).toEqual([
      'bob chat.created',
      'ann interaction.cancelled',
    ]);
    expect(await entriesOf('stopped')).toMatchObject([
      { action: 'chat.created' },
      { user_id: 'ann', action: 'agent.intervened', detail: { agent_id, kind: 'delete' } },
    ]);
    expect(await actionsOf('deleted')).toEqual(['bob chat.created', 'ann chat.deleted']);
  });

  it('is named where a message is sent, also as an edit', async () => {
    const first = await bob.say('sent', 'First');
    const by = { kind: 'user', user_id: 'bob' };
    expect((await first.end()).records[0]).toMatchObject({ type: 'INTERACTION_STARTED', by });
    const edited = await ann.act(first.of, 'edit', { new_user_message: 'Second' });
    const second = new Following(server.api, edited.body as Interaction);
    expect((await second.end()).records[0]).toMatchObject({ by: ANN });
    const local = await server.api.say('sent', 'Third');
    expect(local.records[0]).toMatchObject({ by: { kind: 'user', user_id: 'local' } });
  });

  it('is told apart from what the server decides', async () => {
    await makeToolAsk(server.api, 'closed', 'calculator');
    const following = await bob.say('closed', script({ calls: [CALCULATION] }));
    const { approval_id } = await following.record('APPROVAL_REQUIRED');
    await ann.act(following.of, 'cancel');
    const reader = await following.end();
    const by = { kind: 'system' };
    expect(reader.find('REJECTED')).toMatchObject({ approval_id, by, cause: 'cancel' });
    expect(reader.find('REJECTED')?.by).toEqual(by);
    expect(await actionsOf('closed')).not.toContain('ann approval.rejected');
  });

  it('is kept for chats that are made, changed, exported and imported', async () => {
    await ann.send('POST', '/chats', { id: 'kept', title: 'A secret' });
    await ann.send('PATCH', '/chats/kept', { title: 'Another secret' });
    const { body } = await ann.send('GET', '/chats/kept/log');
    const headers = { ...callerHeaders('bob'), 'content-type': 'application/x-ndjson' };
    const imported = await server.api.send('POST', '/chats/import', { body, headers });
    expect(imported.status).toBe(201);
    expect(await entriesOf('kept')).toEqual([
      { user_id: 'ann', action: 'chat.created', detail: {} },
      { user_id: 'ann', action: 'chat.updated', detail: { fields: ['title'] } },
      { user_id: 'ann', action: 'chat.exported', detail: {} },
    ]);
    const detail = { interactions: 0, records: 0 };
    expect(await entriesOf(imported.body.id)).toEqual([
      { user_id: 'bob', action: 'chat.imported', detail },
    ]);
  });

  it('is kept for rules that are removed', async () => {
    const rule = {
      scope: 'session',
      scope_id: 'ruled',
      decision: 'deny',
      matcher: { type: 'all' },
    };
    await ann.send('POST', '/chats', { id: 'ruled' });
    const { id: rule_id } = (await ann.send('POST', '/permissions/rules', rule)).body;
    await ann.send('DELETE', `/permissions/rules/${rule_id}`);
    expect((await ann.audit('limit=1'))[0]).toMatchObject({
      ...{ user_id: 'ann', action: 'rule.removed', detail: { rule_id } },
    });
    await ann.send('POST', '/permissions/rules', rule);
    await bob.send('DELETE', '/permissions/rules?scope=session&scope_id=ruled');
    expect((await ann.audit('limit=1'))[0]).toMatchObject({
      ...{ user_id: 'bob', action: 'rule.removed', chat_id: 'ruled', detail: { count: 1 } },
    });
  });

  it('is read page by page, newest first, by users of the same tenant', async () => {
    const eve = new User(server, 'eve', 'evil');
    for (const n of [1, 2, 3]) await eve.send('POST', '/chats', { id: `eve-${n}` });
    const seen: (string | undefined)[] = [];
    for (let cursor = ''; ;) {
      const { body } = await eve.send('GET', `/audit?limit=2${cursor}`);
      for (const { chat_id, tenant_id } of body.items as AuditEntry[]) {
        seen.push(chat_id);
        expect(tenant_id).toBe('evil');
      }
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(['eve-3', 'eve-2', 'eve-1']);
    const others = await ann.audit('limit=200');
    expect(others.filter(({ user_id }) => user_id === 'eve')).toEqual([]);
    expect((await eve.send('GET', '/audit?cursor=x')).status).toBe(400);
  });
}
