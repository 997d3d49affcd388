import { AuditTrail } from '../../src/audit/audit-trail.js';
import { MemoryAuditStore } from '../support/store/memory-audit-store.js';
import { LOCAL_PRINCIPAL } from '../../src/auth/principal.js';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import request from 'supertest';
import { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load-config.js';
import { Clock, SystemClock } from '../../src/kernel/clock.js';
import { Ids } from '../../src/kernel/ids.js';
import type { OwnedCall } from '../../src/permissions/matching/permission-call.js';
import { DeclaredRules } from '../../src/permissions/rules/declared-rules.js';
import { PermissionsController } from '../../src/permissions/permissions.controller.js';
import { PermissionsModule } from '../../src/permissions/permissions.module.js';
import { PermissionsService } from '../../src/permissions/permissions.service.js';
import type { RememberedScope } from '../../src/permissions/permissions.service.js';
import { newChatRow } from '../../src/persistence/interaction-rules.js';
import { chatOf, LOCAL, uidOf } from '../support/store/chat-parts.js';
import { ChatStore } from '../../src/persistence/chat.store.js';
import { InteractionStore } from '../../src/persistence/interaction.store.js';
import { RecordStore } from '../../src/persistence/record.store.js';
import { RuleStore } from '../../src/permissions/rules/rule-store.js';
import { openMemoryStores } from '../../src/storage/memory/memory-stores.js';
import { FileRuleStore } from '../../src/storage/file/file-rule-store.js';
import { PythonSettings } from '../../src/tools/python/python-settings.js';
import { ToolLimits } from '../../src/tools/core/tool-limits.js';
import { NoSandbox } from '../../src/workspace/sandbox/open-sandbox.js';
import { Sandbox } from '../../src/workspace/sandbox/sandbox.js';
import { startTinyApp } from '../support/server/tiny-app.js';
import type { PermissionRule } from '../../src/protocol/wire/rule.js';

const FILE = `{
  // Ours.
  "team": "platform",
  "rules": [
    { "scope": "global", "decision": "deny", "matcher": { "type": "command_prefix", "prefixes": ["rm -rf"] } },
    { "id": "rule_once", "scope": "global", "decision": "allow", "matcher": { "type": "tool", "pattern": "once" }, "max_uses": 1, "owner": "me" }
  ]
}
`;

const OURS = { tenant_id: LOCAL.tenant_id, user_id: LOCAL.user_id, chat_uid: uidOf('chat_1') };

const TOKENS = [
  AuditTrail,
  Config,
  ToolLimits,
  PythonSettings,
  RuleStore,
  Clock,
  Sandbox,
  ChatStore,
  InteractionStore,
  RecordStore,
  Ids,
];

describe(PermissionsController.name, () => {
  let folder: string;
  let app: NestExpressApplication;
  let service: PermissionsService;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-permissions-'));
    const path = join(folder, 'permissions.json');
    await writeFile(path, FILE);
    const config = loadConfig({ PERMISSIONS_FILE: path });
    const { chats, interactions, records } = openMemoryStores();
    const created_at = new Date().toISOString();
    for (const id of ['chat_1', 'chat_2']) await chats.createChat(chatOf({ id, created_at }));
    const chat = newChatRow(chatOf({ id: 'chat_1', created_at }));
    const store = await FileRuleStore.open({ data_dir: folder, findChat: () => chat });
    const providers = [
      { provide: Config, useValue: config },
      { provide: ToolLimits, useValue: config },
      { provide: PythonSettings, useValue: config },
      { provide: RuleStore, useValue: store },
      { provide: Clock, useClass: SystemClock },
      { provide: Sandbox, useClass: NoSandbox },
      { provide: ChatStore, useValue: chats },
      { provide: InteractionStore, useValue: interactions },
      { provide: RecordStore, useValue: records },
      { provide: AuditTrail, useValue: new MemoryAuditStore().trail },
      Ids,
    ];
    @Global()
    @Module({ providers, exports: TOKENS })
    class PortsModule {}
    @Module({ imports: [PortsModule, PermissionsModule] })
    class TestModule {}
    app = (await startTinyApp({}, TestModule)).app;
    service = app.get(PermissionsService, { strict: false });
  });

  afterEach(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  const http = () => request(app.getHttpServer());
  const check = async (tool_name: string, tool_input: object, more: object = {}) =>
    (
      await http()
        .post('/permissions/check')
        .send({ tool_name, tool_input, ...more })
        .expect(200)
    ).body as { decision: string; rule: PermissionRule | null; reason: string; trace: object[] };
  const add = async (rule: object) =>
    (await http().post('/permissions/rules').send(rule).expect(201)).body as PermissionRule;
  const list = async (query = '') =>
    (
      (await http().get(`/permissions/rules${query}`).expect(200)).body as {
        items: PermissionRule[];
      }
    ).items;

  it('adds a rule, lists it, uses it and deletes it', async () => {
    const matcher = { type: 'command_prefix', prefixes: ['git log'] };
    const rule = await add({ scope: 'user', decision: 'allow', matcher, description: 'Looking.' });
    expect(rule).toMatchObject({
      scope: 'user',
      scope_id: 'local',
      priority: 0,
      matcher,
      max_uses: null,
    });
    expect(rule.id).toMatch(/^rule_/);
    expect(await list('?scope=user')).toEqual([rule]);
    expect(await check('bash', { command: 'git log -1' })).toMatchObject({
      decision: 'allow',
      rule,
    });
    const compound = await check('bash', { command: 'git log; rm -rf x' });
    expect(compound).toMatchObject({ decision: 'deny', rule: { scope: 'global' } });
    expect(compound.reason).toContain('rm -rf x');
    expect(compound.trace).toContainEqual(
      expect.objectContaining({ rule: rule.id, level: 'user', matched: true, command: 'git log' }),
    );
    await http().delete(`/permissions/rules/${rule.id}`).expect(204);
    await http().delete(`/permissions/rules/${rule.id}`).expect(404);
    expect(await check('bash', { command: 'git log' })).toMatchObject({
      decision: 'ask',
      rule: null,
    });
  });

  it.each([
    [
      { type: 'tool', pattern: 'calculater' },
      'There is no tool "calculater". Did you mean calculator?',
    ],
    [{ type: 'path', pattern: '**', tool: 'raed' }, 'There is no tool "raed". Did you mean read?'],
    [{ type: 'tool', pattern: 'calculator' }, undefined],
    [{ type: 'tool', pattern: 'mcp__*' }, undefined],
    [{ type: 'regex', pattern: 'x' }, undefined],
    [{ type: 'all' }, undefined],
  ])('adds a rule for a tool that is not there, and says so: %j', async (matcher, hint) => {
    const { hint: given, ...rule } = (await add({
      ...{ scope: 'user', decision: 'ask', matcher },
    })) as PermissionRule & { hint?: string };
    expect(given).toBe(hint);
    expect(await list('?scope=user')).toEqual([rule]);
  });

  it('lists rules page by page, those of files among them', async () => {
    const matcher = { type: 'tool', pattern: 'x' };
    const inFile = (await list()).length;
    expect(inFile).toBeGreaterThan(0);
    for (let n = 0; n < 4; n++)
      await add({ scope: 'global', decision: 'allow', matcher, priority: n % 2 });
    await add({ scope: 'user', decision: 'allow', matcher });
    const all = await list('?limit=200');
    expect(all).toHaveLength(5 + inFile);
    const seen: PermissionRule[] = [];
    let cursor: string | null = '';
    for (; cursor !== null;) {
      const { body }: { body: { items: PermissionRule[]; next_cursor: string | null } } =
        await http()
          .get(`/permissions/rules?limit=2${cursor && `&cursor=${cursor}`}`)
          .expect(200);
      expect(body.items.length).toBeGreaterThan(0);
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items);
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(all);
    for (const odd of ['x', Buffer.from('["user",1]').toString('base64url')])
      await http().get(`/permissions/rules?cursor=${odd}`).expect(400);
  });

  it('knows what tools do, and asks about those that it does not know', async () => {
    expect(await check('calculator', { expression: '1' })).toMatchObject({ decision: 'allow' });
    expect(await check('current_time', {})).toMatchObject({ decision: 'allow' });
    expect(await check('nobody', {})).toMatchObject({ decision: 'ask', rule: null });
  });

  it('applies the rules of a chat and of an agent type to them only', async () => {
    const matcher = { type: 'tool', pattern: 'calc*' };
    await add({ scope: 'session', scope_id: 'chat_1', decision: 'deny', matcher });
    await add({ scope: 'agent', scope_id: 'react', decision: 'ask', matcher });
    expect((await check('calculator', {}, { chat_id: 'chat_1' })).decision).toBe('deny');
    expect((await check('calculator', {}, { agent: 'react' })).decision).toBe('ask');
    expect((await check('calculator', {}, { chat_id: 'chat_2', agent: 'x' })).decision).toBe(
      'allow',
    );
    const gone = await http()
      .delete('/permissions/rules?scope=session&scope_id=chat_1')
      .expect(200);
    expect(gone.body).toEqual({ deleted: 1 });
    expect((await check('calculator', {}, { chat_id: 'chat_1' })).decision).toBe('allow');
  });

  it('refuses a rule for a chat that does not exist, and names the field', async () => {
    const rule = { scope: 'session', scope_id: 'chat_none', decision: 'allow' };
    const planted = { ...rule, matcher: { type: 'all' } };
    const { body } = await http().post('/permissions/rules').send(planted).expect(404);
    expect(body).toMatchObject({
      type: '/problems/chat_not_found',
      errors: [{ field: 'scope_id' }],
    });
  });

  it.each([
    [{}, ['scope', 'decision', 'matcher']],
    [{ scope: 'all', decision: 'allow', matcher: { type: 'all' } }, ['scope']],
    [{ scope: 'global', decision: 'allow', matcher: { type: 'some' } }, ['matcher.type']],
    [{ scope: 'global', decision: 'allow', matcher: { type: 'all', x: 1 } }, ['matcher.x']],
    [{ scope: 'global', decision: 'allow', matcher: { type: 'all' }, x: 1 }, ['x']],
    [
      { scope: 'global', decision: 'deny', matcher: { type: 'regex', pattern: '(' } },
      ['matcher.pattern'],
    ],
    [
      { scope: 'global', decision: 'deny', matcher: { type: 'regex', pattern: '(?=a)' } },
      ['matcher.pattern'],
    ],
    [
      { scope: 'global', decision: 'deny', matcher: { type: 'path', pattern: '{a' } },
      ['matcher.pattern'],
    ],
    [
      {
        scope: 'global',
        decision: 'deny',
        matcher: { type: 'command_prefix', prefixes: ['ls', 'a; b'] },
      },
      ['matcher.prefixes.1'],
    ],
    [{ scope: 'session', decision: 'allow', matcher: { type: 'all' } }, ['scope_id']],
    [{ scope: 'global', scope_id: 'x', decision: 'allow', matcher: { type: 'all' } }, ['scope_id']],
    [
      { scope: 'session', scope_id: 'a/b', decision: 'allow', matcher: { type: 'all' } },
      ['scope_id'],
    ],
    [{ scope: 'user', scope_id: 'a b', decision: 'allow', matcher: { type: 'all' } }, ['scope_id']],
    [
      { scope: 'user', decision: 'allow', matcher: { type: 'all' }, expires_at: 'soon' },
      ['expires_at'],
    ],
  ])('refuses %j and names the fields', async (body, fields) => {
    const before = await list();
    const { body: problem } = await http().post('/permissions/rules').send(body).expect(400);
    const named = (problem as { errors: { field: string }[] }).errors.map(({ field }) => field);
    expect(named).toEqual(fields);
    expect(await list()).toEqual(before);
  });

  it('wants to know which scope to empty', async () => {
    await http().delete('/permissions/rules').expect(400);
  });

  it('lets no client remove a rule of the file, nor allow what it denies', async () => {
    const ofFile = await list();
    for (const { id } of ofFile) {
      const { body } = await http().delete(`/permissions/rules/${id}`).expect(409);
      expect(body).toMatchObject({ type: '/problems/rule_of_file' });
      expect((body as { detail: string }).detail).toContain('permissions.json');
    }
    const gone = await http().delete('/permissions/rules?scope=global').expect(200);
    expect(gone.body).toEqual({ deleted: 0 });
    await add({ scope: 'user', decision: 'allow', matcher: { type: 'all' }, priority: 1_000_000 });
    expect(await list('?scope=global')).toEqual(ofFile);
    expect(await check('bash', { command: 'rm -rf x' })).toMatchObject({
      decision: 'deny',
      rule: { id: ofFile[0]!.id },
    });
    expect((await check('bash', { command: 'rm x' })).decision).toBe('allow');
    expect(await readFile(join(folder, 'permissions.json'), 'utf8')).toBe(FILE);
  });

  it('lets the event loop turn while it judges by a thousand large patterns', async () => {
    const rules = Array.from({ length: 1000 }, (_, n) => ({
      ...({ scope: 'global', scope_id: null, priority: 0, decision: 'deny' } as const),
      matcher: { type: 'regex', pattern: `(a|b|c){1,300}${'x'.repeat(500)}${n}` } as const,
      ...{ description: null, expires_at: null, max_uses: null },
    }));
    app.get(DeclaredRules, { strict: false }).replace('many.md', rules);
    let turns = 0;
    let isDone = false;
    const turn = () => void (turns++, isDone || setImmediate(turn));
    const checked = check('bash', { command: 'abc '.repeat(1000) });
    setImmediate(turn);
    const { decision, reason } = await checked;
    isDone = true;
    expect(decision).toBe('deny');
    expect(reason).toContain('would take too long');
    expect(turns).toBeGreaterThan(50);
  });

  it('counts executions that a limited rule decides, and no dry runs', async () => {
    expect((await check('once', {})).decision).toBe('allow');
    const call = { ...OURS, tool_name: 'once', tool_input: {} };
    const verdicts = await Promise.all(['a', 'b', 'c'].map((key) => service.decide(call, key)));
    expect(verdicts.map(({ decision }) => decision).sort()).toEqual(['allow', 'ask', 'ask']);
    expect((await check('once', {})).decision).toBe('ask');
    expect((await list()).find(({ id }) => id === 'rule_once')).toMatchObject({ uses: 1 });
  });

  it('decides an execution that is judged again as before, and counts it once', async () => {
    const added = { scope: 'global', decision: 'allow', max_uses: 1 };
    await add({ ...added, matcher: { type: 'tool', pattern: 'kept' } });
    for (const tool_name of ['once', 'kept']) {
      const call = { ...OURS, tool_name, tool_input: {} };
      const first = await service.decide(call, 'int_1/a/1.0');
      expect(first.decision).toBe('allow');
      expect(await service.decide(call, 'int_1/a/1.0')).toEqual(first);
      expect((await service.decide(call, 'int_1/a/2.0')).decision).toBe('ask');
    }
    const limited = (await list()).filter(({ max_uses }) => max_uses !== null);
    expect(limited.map(({ uses }) => uses)).toEqual([1, 1]);
    for (const rule of limited) expect(rule).not.toHaveProperty('used_by');
  });

  const remember = async (call: OwnedCall, scope: RememberedScope) => {
    const rule = await service.suggest(call, scope);
    return rule && (await service.add(LOCAL_PRINCIPAL, rule)).rule;
  };

  it('remembers the narrowest rule that covers a call', async () => {
    const call = (command: string) => ({
      ...OURS,
      tool_name: 'bash',
      tool_input: { command },
      chat_id: 'chat_1',
    });
    const rule = await remember(call('npm run build && git log "a b"'), 'session');
    expect(rule).toMatchObject({
      scope: 'session',
      scope_id: 'chat_1',
      decision: 'allow',
      matcher: {
        type: 'command_prefix',
        prefixes: ['npm run build', "git log 'a b'"],
        exact: true,
      },
    });
    expect(await list('?scope=session&scope_id=chat_1')).toEqual([rule]);
    expect((await service.check(call('npm run build'))).decision).toBe('allow');
    for (const more of ['npm run build x', 'npm run build; ls', 'npm run'])
      expect((await service.check(call(more))).decision).toBe('ask');
    expect(await remember(call('git log "a b"; npm run build'), 'session')).toMatchObject({
      scope: 'session',
    });
  });

  it('says of a remembered rule which verdict it came from', async () => {
    const call = { ...OURS, tool_name: 'bash', tool_input: { command: 'make' }, chat_id: 'chat_1' };
    const allowed = await service.suggest(call, 'session');
    const denied = await service.suggest(call, 'session', 'deny');
    expect(allowed?.description).toBe('Remembered from an approval.');
    expect(denied?.description).toBe('Remembered from a rejection.');
  });

  it('remembers a call word for word where no command can be told', async () => {
    const call = { ...OURS, tool_name: 'bash', tool_input: { command: 'echo $x > out' } };
    const rule = await remember(call, 'global');
    expect(rule?.matcher).toEqual({
      type: 'tool',
      pattern: 'bash',
      input: { command: 'echo $x > out' },
    });
    expect(await remember(call, 'global')).toEqual(rule);
    expect((await service.check(call)).decision).toBe('allow');
    const other = { ...OURS, tool_name: 'bash', tool_input: { command: 'echo $x > out2' } };
    expect((await service.check(other)).decision).toBe('ask');
  });

  it('remembers the file that a tool writes, for that tool', async () => {
    const call = {
      ...OURS,
      tool_name: 'write',
      tool_input: { path: './src/a[1].ts', content: 'x' },
    };
    const rule = await remember(call, 'global');
    expect(rule?.matcher).toEqual({ type: 'path', pattern: 'src/a\\[1\\].ts', tool: 'write' });
    expect((await service.check({ ...call, tool_name: 'delete' })).decision).toBe('ask');
  });

  it('goes before the rule of its scope that asked', async () => {
    const matcher = { type: 'command_prefix', prefixes: ['git push'] };
    await add({ scope: 'global', decision: 'ask', matcher, priority: 7 });
    const call = { ...OURS, tool_name: 'bash', tool_input: { command: 'git push' } };
    expect((await remember(call, 'global'))?.priority).toBe(8);
    expect((await service.check(call)).decision).toBe('allow');
  });

  it('goes before a rule that says the same and is looked at too late', async () => {
    const matcher = { type: 'command_prefix', prefixes: ['git push'], exact: true };
    await add({ scope: 'global', decision: 'allow', matcher });
    await add({ scope: 'global', decision: 'ask', matcher: { type: 'all' }, priority: 7 });
    const call = { ...OURS, tool_name: 'bash', tool_input: { command: 'git push' } };
    expect((await remember(call, 'global'))?.priority).toBe(8);
    expect((await service.check(call)).decision).toBe('allow');
  });

  it('remembers nothing that a rule of an earlier scope would decide otherwise', async () => {
    await add({ scope: 'user', decision: 'ask', matcher: { type: 'all' } });
    const call = {
      ...OURS,
      tool_name: 'bash',
      tool_input: { command: 'git push' },
      chat_id: 'chat_1',
    };
    for (const scope of ['session', 'global'] as const)
      expect(await service.suggest(call, scope)).toBeUndefined();
    expect(await service.suggest(call, 'session', 'deny')).toBeUndefined();
  });
});
