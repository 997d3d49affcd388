import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { ParleyServer } from '../../src/app/parley-server.js';
import type { Environment } from '../../src/config/load-config.js';
import { createServer } from '../../src/server.js';

const CALL = 'What is 6*7?';
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

  it('throws all faults of its variables, and prints none', async () => {
    await expect(start('data', { PORT: 'x', MIGRATE: 'maybe' })).rejects.toMatchObject({
      faults: [{ variable: 'PORT' }, { variable: 'MIGRATE' }],
    });
    const first = await start('shared');
    await expect(start('shared')).rejects.toThrow(/shared/);
    expect(first.isClosed).toBe(false);
  });
});
