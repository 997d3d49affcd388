import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import type { ParleyServer } from '../../src/app/parley-server.js';
import type { Environment } from '../../src/config/load-config.js';
import { createServer } from '../../src/server.js';

const CALL = 'What is 6*7?';
const WRITE = 'call write {"path":"a.txt","content":"hello"}';
const ASK = 'ask me which colour I like: red, green or blue';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe(createServer.name, () => {
  let folder: string;
  const running: ParleyServer[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-embedded-'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.shutdown()));
  });
  afterAll(async () => {
    Logger.overrideLogger(false);
    await rm(folder, { recursive: true });
  });

  async function start(name = 'data', env: Environment = {}): Promise<ParleyServer> {
    const environment = {
      ...{ PORT: '0', STORE: 'file', LOG_LEVEL: 'fatal', SYSTEM_PROMPT_FILE: '/dev/null' },
      ...{ DATA_DIR: join(folder, name), WORKSPACE_DIR: join(folder, `${name}-work`) },
      ...env,
    };
    const server = await createServer([], { environment });
    running.push(server);
    return server;
  }

  it('starts an interaction, shows it while it runs, and follows it to its end', async () => {
    const server = await start();
    expect(server.url).toBeUndefined();
    const asked = await server.start('asks', { user_message: ASK });
    const events = server.follow('asks', asked.id);
    for await (const { event } of events) if (event.type === 'INPUT_REQUIRED') break;
    const { items, next_cursor } = await server.listActive();
    expect(items).toMatchObject([{ id: asked.id, chat_id: 'asks', status: 'WAITING_INPUT' }]);
    expect(next_cursor).toBeNull();
    await server.cancel('asks', asked.id);
    const last = (await collect(server.follow('asks', asked.id))).at(-1);
    expect(last?.event.type).toBe('INTERACTION_COMPLETE');
    expect(await server.get('asks', asked.id)).toMatchObject({ status: 'CANCELLED' });
    expect(await server.listActive()).toEqual({ items: [], next_cursor: null });
  });

  it('goes on, in the same process, where the one before it has stopped', async () => {
    const first = await start('twice');
    const { id } = await first.start('c', { user_message: CALL });
    const [{ cursor } = { cursor: '' }] = await collect(first.follow('c', id));
    await first.shutdown();
    const second = await start('twice');
    expect(await second.get('c', id)).toMatchObject({ status: 'COMPLETED', user_message: CALL });
    const rest = await collect(second.follow('c', id, { after: cursor }));
    expect(rest.at(-1)?.event.type).toBe('INTERACTION_COMPLETE');
    expect(rest.map((each) => each.cursor)).not.toContain(cursor);
  });

  it('runs beside another one', async () => {
    const [a, b] = await Promise.all([start('a'), start('b')]);
    const [ofA, ofB] = await Promise.all(
      [a, b].map((server) => server.start('same', { user_message: CALL })),
    );
    await Promise.all([collect(a.follow('same', ofA!.id)), collect(b.follow('same', ofB!.id))]);
    expect(await a.get('same', ofA!.id)).toMatchObject({ status: 'COMPLETED' });
    expect(await b.get('same', ofB!.id)).toMatchObject({ status: 'COMPLETED' });
    await expect(a.get('same', ofB!.id)).rejects.toMatchObject({ code: 'interaction_not_found' });
    const urls = await Promise.all([a.listen(), b.listen()]);
    expect(new Set(urls).size).toBe(2);
    for (const url of urls) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    await a.shutdown();
    expect(a.url).toBeUndefined();
    expect((await fetch(`${urls[1]}/health/ready`)).status).toBe(200);
  });

  it('leaves signals and uncaught errors to the program', async () => {
    const events = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'] as const;
    const count = () => events.map((event) => process.listenerCount(event as 'SIGTERM'));
    const [before, umask] = [count(), process.umask()];
    await start();
    expect(count()).toEqual(before);
    expect(process.umask()).toBe(umask);
  });

  it('ends what follows an interaction, when it shuts down and when it is told to', async () => {
    const server = await start('ends');
    const { id } = await server.start('c', { user_message: ASK });
    const stop = new AbortController();
    const told = collect(server.follow('c', id, { signal: stop.signal }));
    stop.abort();
    await told;
    const open = collect(server.follow('c', id));
    await server.shutdown();
    await open;
  });

  it('throws what an HTTP client would be answered', async () => {
    const server = await start();
    const body = { user_message: CALL };
    await expect(server.start('a b', body)).rejects.toMatchObject({ code: 'invalid_path' });
    await expect(server.start('c', { ...body, odd: 1 } as typeof body)).rejects.toMatchObject({
      code: 'invalid_body',
      errors: [{ field: 'odd', message: 'is not a known field' }],
    });
    const long = { user_message: 'x'.repeat(1024 * 1024) };
    await expect(server.start('c', long)).rejects.toMatchObject({ code: 'body_too_large' });
    const nul = { user_message: 'a\0b' };
    await expect(server.start('c', nul)).rejects.toMatchObject({ code: 'invalid_text' });
    await expect(server.get('c', 'int_none')).rejects.toMatchObject({
      code: 'interaction_not_found',
    });
    await expect(server.listActive({ limit: 0 })).rejects.toMatchObject({ code: 'invalid_query' });
  });

  it('acts for users of tenants, whose chats others do not see', async () => {
    const server = await start();
    const ann = { tenant_id: 'acme', user_id: 'ann' };
    const { id } = await server.start('hers', { user_message: CALL }, ann);
    expect(await server.get('hers', id, ann)).toMatchObject({ id });
    for (const other of [{}, { tenant_id: 'acme', user_id: 'bob' }])
      await expect(server.get('hers', id, other)).rejects.toMatchObject({
        code: 'interaction_not_found',
      });
    for (const wrong of [{ tenant_id: '../x' }, { user_id: 'admin' }, { user_id: '' }])
      await expect(server.listActive(wrong)).rejects.toMatchObject({ code: 'invalid_body' });
  });

  it('creates a chat, and approves a call with another input', async () => {
    const server = await start();
    const chat = await server.createChat({ id: 'writes', title: 'Notes' });
    expect(chat).toMatchObject({ id: 'writes', title: 'Notes', interactions: [] });
    const { id } = await server.start('writes', { user_message: WRITE });
    expect(await server.waitForEnd('writes', id)).toMatchObject({ status: 'WAITING_APPROVAL' });
    const { items } = await server.inbox({ chat_id: 'writes' });
    expect(items).toMatchObject([{ kind: 'approval', interaction_id: id, tool_name: 'write' }]);
    const approval_id = String(items[0]?.['approval_id']);
    const modified_input = { path: 'other.txt', content: 'changed' };
    await server.approve('writes', id, { approval_id, approved: true, modified_input });
    expect(await server.waitForEnd('writes', id)).toMatchObject({ status: 'COMPLETED' });
    const events = await collect(server.follow('writes', id));
    expect(JSON.stringify(events.map(({ event }) => event))).toContain('other.txt');
    await expect(
      server.approve('writes', id, { approval_id, approved: false }),
    ).rejects.toMatchObject({ code: 'already_processed' });
  });

  it('answers a question, gives the result of a tool of its own, and edits a message', async () => {
    const server = await start();
    const asked = await server.start('talks', { user_message: ASK });
    await server.waitForEnd('talks', asked.id);
    const { items } = await server.inbox({ interaction_id: asked.id });
    await server.respond('talks', asked.id, {
      request_id: String(items[0]?.['request_id']),
      answer: 'green',
    });
    const { answer } = await server.waitForEnd('talks', asked.id);
    expect(answer).toContain('green');
    const edited = await server.edit('talks', asked.id, { new_user_message: CALL });
    expect(edited).toMatchObject({ edited_from: asked.id });
    expect(await server.waitForEnd('talks', edited.id)).toMatchObject({ status: 'COMPLETED' });

    const client_tools = [{ name: 'open_door', description: 'Opens it.', input_schema: {} }];
    const body = { user_message: 'call open_door {}', client_tools };
    const called = await server.start('doors', body);
    const events = server.follow('doors', called.id);
    for await (const { event } of events)
      if (event.type === 'TOOL_RESULT_REQUIRED') {
        const { tool_call_id } = event;
        await server.toolResult('doors', called.id, { tool_call_id, tool_output: 'It is open.' });
      }
    const done = await server.get('doors', called.id);
    expect(done).toMatchObject({ status: 'COMPLETED' });
    expect(JSON.stringify(done.final_agent_state)).toContain('It is open.');
  });

  it('shows agents, tells them something, and stops all', async () => {
    const server = await start();
    const { id, agent_id } = await server.start('tree', { user_message: ASK });
    await server.waitForEnd('tree', id);
    expect(await server.tree(id)).toMatchObject({ interaction_id: id, root: { agent_id } });
    expect(await server.agent(agent_id)).toMatchObject({
      agent_id,
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
    const told = await server.intervene(agent_id, { user_comment: 'Hurry up.' });
    expect(told).toMatchObject({ agent_id, status: 'accepted' });
    const { items } = await server.cancelAll();
    expect(items).toMatchObject([{ interaction_id: id, outcome: 'cancelling' }]);
    expect(await server.waitForEnd('tree', id)).toMatchObject({ status: 'CANCELLED' });
  });

  it('takes a file, which a message then names', async () => {
    const server = await start();
    await server.createChat({ id: 'files' });
    const file = await server.upload('a.txt', Readable.from([Buffer.from('Rain.')]), {
      chat_id: 'files',
    });
    expect(file).toMatchObject({ filename: 'a.txt', mime_type: 'text/plain', size_bytes: 5 });
    const { files } = await server.start('files', { user_message: CALL, file_ids: [file.id] });
    expect(files).toMatchObject([{ id: file.id }]);
    const large = Readable.from([Buffer.alloc(2_000)], { objectMode: false });
    const small = await start('small', { FILE_MAX_BYTES: '1000' });
    await expect(small.upload('b.txt', large)).rejects.toMatchObject({ code: 'file_too_large' });
    await expect(
      server.upload('c.txt', Readable.from(['c']), { chat_id: 'none' }),
    ).rejects.toMatchObject({ code: 'chat_not_found' });
  });

  it('refuses values of other types, as a client in JavaScript may pass them', async () => {
    const server = await start();
    const odd = (value: unknown): never => value as never;
    for (const behalf of [
      { tenant_id: odd(['default']) },
      { tenant_id: odd(null) },
      { user_id: odd(['local']) },
      { user_id: odd(7) },
      { scopes: odd('chat') },
      { scopes: odd(null) },
    ])
      await expect(server.createChat({}, behalf)).rejects.toMatchObject({ code: 'invalid_body' });
    const cycle: Record<string, unknown> = {};
    cycle['a'] = cycle;
    for (const body of [cycle, { a: 1n }, () => 1, null, 'a'])
      await expect(server.createChat(odd(body))).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(server.createChat(odd({ title: NaN }))).rejects.toMatchObject({
      code: 'inexact_number',
    });
    await expect(server.upload(odd(5), Readable.from(['a']))).rejects.toMatchObject({
      code: 'invalid_body',
    });
    const { id } = await server.start('odd', { user_message: ASK });
    await expect(server.follow('odd', id, { after: odd(null) }).next()).rejects.toMatchObject({
      code: 'invalid_body',
    });
    await expect(server.waitForEnd('odd', id, { limit_ms: NaN })).rejects.toMatchObject({
      code: 'invalid_body',
    });
  });

  it('waits for longer than a timer can be', async () => {
    const server = await start();
    const { id } = await server.start('long', { user_message: ASK });
    const waited = await server.waitForEnd('long', id, { limit_ms: Infinity });
    expect(waited.status).toBe('WAITING_INPUT');
  });

  it('counts the bytes of a file that comes as text', async () => {
    const server = await start('bytes', { FILE_MAX_BYTES: '10' });
    await expect(server.upload('a.txt', Readable.from(['é'.repeat(6)]))).rejects.toMatchObject({
      code: 'file_too_large',
    });
  });

  it('needs the scope of each route, and keeps it from what others own', async () => {
    const server = await start();
    const { id, agent_id } = await server.start('scoped', { user_message: ASK });
    await server.waitForEnd('scoped', id);
    const chat = { scopes: ['chat'] } as const;
    const decide = { scopes: ['decide'] } as const;
    const answer = { request_id: 'input_x', answer: 'x' };
    const refused: [string, () => Promise<unknown>][] = [
      ['decide', () => server.respond('scoped', id, answer, chat)],
      ['decide', () => server.approve('scoped', id, { approval_id: 'a', approved: true }, chat)],
      [
        'decide',
        () => server.toolResult('scoped', id, { tool_call_id: 'a', tool_output: '' }, chat),
      ],
      ['decide', () => server.intervene(agent_id, { user_comment: 'x' }, chat)],
      ['decide', () => server.start('new', { user_message: 'x', approval_mode: 'auto' }, chat)],
      ['operate', () => server.cancelAll({ all: true }, chat)],
      ['operate', () => server.listActive(chat)],
      ['chat', () => server.get('scoped', id, decide)],
      ['chat', () => server.inbox(decide)],
      ['chat', () => server.tree(id, decide)],
      ['chat', () => server.createChat({}, decide)],
      ['chat', () => collect(server.follow('scoped', id, decide))],
      ['chat', () => server.upload('a.txt', Readable.from(['a']), decide)],
    ];
    for (const [scope, call] of refused)
      await expect(call()).rejects.toMatchObject({ code: 'missing_scope', extra: { scope } });
    await expect(server.respond('scoped', id, answer)).rejects.toMatchObject({
      code: 'request_not_found',
    });
    const other = { user_id: 'bob' };
    await expect(server.agent(agent_id, other)).rejects.toMatchObject({ code: 'agent_not_found' });
    expect((await server.inbox(other)).items).toEqual([]);
    await server.cancel('scoped', id);
  });

  it('notes in the audit trail which operations it refused', async () => {
    const server = await start('refuses');
    const ann = { user_id: 'ann', scopes: ['chat'] } as const;
    const body = { user_message: CALL, approval_mode: 'auto' } as const;
    const again = [1, 2].map(() => () => server.cancelAll({ all: true }, ann));
    for (const call of [...again, () => server.start('new', body, ann)])
      await expect(call()).rejects.toMatchObject({ code: 'missing_scope' });
    await expect(server.get('c', 'int_none', ann)).rejects.toMatchObject({
      code: 'interaction_not_found',
    });
    const response = await fetch(`${await server.listen()}/audit`);
    const { items } = (await response.json()) as { readonly items: readonly AuditEntry[] };
    const refused = { user_id: 'ann', action: 'access.refused' };
    expect(items).toMatchObject([
      { ...refused, detail: { code: 'missing_scope', operation: 'start', scope: 'decide' } },
      { ...refused, detail: { code: 'missing_scope', operation: 'cancelAll', scope: 'operate' } },
    ]);
  });

  it('throws all faults of its variables, and prints none', async () => {
    await expect(start('data', { PORT: 'x', MIGRATE: 'maybe' })).rejects.toMatchObject({
      faults: [{ variable: 'PORT' }, { variable: 'MIGRATE' }],
    });
    const first = await start('shared');
    await expect(start('shared')).rejects.toThrow(/shared/);
    expect(first.isClosed).toBe(false);
  });
});
