import { StartService } from '../../../src/interactions/start/start.service.js';
import { Metrics } from '../../../src/metrics/metrics.js';
import { Gate } from '../../support/gate.js';
import type { Reply } from '../../support/client/api-client.js';
import type { Servers, ServerUnderTest } from '../servers.js';

const IN_BACKGROUND = { accept: 'application/json' };
/** Longer than sums are known for, however long it takes to count them. */
const LATER_MS = 61_000;
const DAY_MS = 86_400_000;

export function describeQuotas(servers: Servers): void {
  describe('QUOTA_RUNS', () => {
    servers.run(
      { QUOTA_RUNS: '2' },
      (server) => {
        it('refuses a start while as many run or are queued, until one ends', async () => {
          const gate = new Gate();
          server.fake.reply({ text: ['Half', gate, ' and half.'] });
          const key = { 'idempotency-key': 'one' };
          const first = await server.api.begin('runs', 'One', key);
          await gate.reached;
          const wait = { user_message: 'Two', on_conflict: 'enqueue' };
          const second = await server.api.begin('runs', wait);
          expectExceeded(await start(server, 'other'), 'QUOTA_RUNS', 1);
          expectExceeded(await start(server, 'runs', wait), 'QUOTA_RUNS', 1);
          expect((await start(server, 'runs')).body.type).toBe('/problems/chat_busy');
          expect((await server.api.get('/chats/other')).status).toBe(404);
          expect((await server.api.begin('runs', 'One', key)).id).toBe(first.id);
          gate.open();
          await server.api.follow(second);
          await server.api.say('other', 'Three');
          expect(await refusals(server, 'QUOTA_RUNS')).toBe(2);
        });

        it('is that of each tenant', async () => {
          const gate = new Gate();
          server.fake.reply({ text: ['1', gate] }, { text: ['2', gate] });
          const all = [await server.api.begin('a', 'Go'), await server.api.begin('b', 'Go')];
          expectExceeded(await start(server, 'c'), 'QUOTA_RUNS', 1);
          const [service] = server.getAll(StartService);
          const caller = { tenant_id: 'acme', user_id: 'ann', scopes: new Set(['chat'] as const) };
          const { interaction } = await service!.start({
            ...{ caller, chat_id: 'c', user_message: 'Go', body: {}, on_conflict: undefined },
            ...{ idempotency_key: undefined, background: true },
          });
          expect(interaction.tenant_id).toBe('acme');
          gate.open();
          await Promise.all(all.map((each) => server.api.follow(each)));
        });
      },
      { isOwn: true },
    );
  });

  describe('QUOTA_STARTS_PER_MINUTE', () => {
    servers.run(
      { QUOTA_STARTS_PER_MINUTE: '2' },
      (server) => {
        it('refuses further starts and edits until the first is a minute ago', async () => {
          const reader = await server.api.say('gone', 'One');
          expect((await server.api.delete('/chats/gone')).status).toBe(204);
          server.clock.pass(30_000);
          const { records } = await server.api.say('kept', 'Two');
          const { interaction_id } = records[0]!;
          expect(reader.faults).toEqual([]);
          const path = `/chats/kept/interactions/${interaction_id}/edit`;
          const edit = () => server.api.post(path, { new_user_message: 'Three' }, IN_BACKGROUND);
          const refused = await edit();
          expectExceeded(refused, 'QUOTA_STARTS_PER_MINUTE');
          const seconds = Number(refused.headers.get('retry-after'));
          expect(seconds).toBeGreaterThan(10);
          expect(seconds).toBeLessThanOrEqual(30);
          server.clock.pass(seconds * 1000);
          const { status, body } = await edit();
          expect(status).toBe(202);
          await server.api.follow(body);
          expectExceeded(await start(server, 'kept'), 'QUOTA_STARTS_PER_MINUTE');
        });
      },
      { isOwn: true },
    );
  });

  describe('QUOTA_TOKENS_PER_DAY', () => {
    servers.run(
      { QUOTA_TOKENS_PER_DAY: '1', LEASE_TTL_MS: '600000' }, // it outlasts the clock's move
      (server) => {
        it('lets what runs go on, and refuses starts until the day is over', async () => {
          server.clock.leaveMidnight();
          const gate = new Gate();
          server.fake.reply({ text: ['Half', gate, ' and half.'] }, { text: 'All.' });
          const running = server.api.say('running', 'One');
          await gate.reached;
          const first = await server.api.say('tokens', 'Two');
          expect(first.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
          server.clock.pass(LATER_MS);
          const refused = await start(server, 'tokens');
          expectExceeded(refused, 'QUOTA_TOKENS_PER_DAY');
          const left_s = (DAY_MS - (server.clock.now().getTime() % DAY_MS)) / 1000;
          const seconds = Number(refused.headers.get('retry-after'));
          expect(Math.abs(seconds - left_s)).toBeLessThan(60);
          gate.open();
          expect((await running).records.at(-1)).toMatchObject({ status: 'COMPLETED' });
          server.clock.pass(seconds * 1000);
          expect((await server.api.say('tokens', 'Tomorrow')).faults).toEqual([]);
        });
      },
      { isOwn: true },
    );
  });

  describe('GET /quotas', () => {
    servers.run(
      { QUOTA_RUNS: '9', QUOTA_TOKENS_PER_DAY: '1000000', QUOTA_BYTES: '20000000' },
      (server) => {
        it('has those that are set, and what was used of them', async () => {
          server.clock.leaveMidnight();
          await server.api.say('used', 'One');
          server.clock.pass(LATER_MS);
          const { usage } = (await server.api.get('/chats/used')).body;
          const tokens = usage.input_tokens + usage.output_tokens;
          expect(tokens).toBeGreaterThan(0);
          const { items } = (await server.api.get('/quotas')).body;
          expect(items).toEqual([
            { quota: 'QUOTA_RUNS', limit: 9, used: null },
            { quota: 'QUOTA_TOKENS_PER_DAY', limit: 1_000_000, used: tokens },
            { quota: 'QUOTA_BYTES', limit: 20_000_000, used: expect.any(Number) },
          ]);
          expect(items[2].used).toBeGreaterThan(100);
        });
      },
      { isOwn: true },
    );
  });

  describe('QUOTA_BYTES', () => {
    servers.run(
      { QUOTA_BYTES: '20000' },
      (server) => {
        it('refuses starts and imports until chats are deleted', async () => {
          await server.api.say('small', 'Small.');
          const log = String((await server.api.get('/chats/small/log')).body);
          await server.api.say('large', 'x'.repeat(20_000));
          server.clock.pass(LATER_MS);
          expectExceeded(await start(server, 'small'), 'QUOTA_BYTES', 3600);
          const load = async () =>
            server.api.post('/chats/import', log, { 'content-type': 'application/x-ndjson' });
          expectExceeded(await load(), 'QUOTA_BYTES', 3600);
          expect((await server.api.delete('/chats/large')).status).toBe(204);
          server.clock.pass(LATER_MS);
          expect((await load()).status).toBe(201);
          expect((await server.api.say('small', 'Again.')).faults).toEqual([]);
        });

        it('refuses a chat for which there is no room', async () => {
          const { items } = (await server.api.get('/chats')).body;
          for (const { id } of items as { id: string }[]) await server.api.delete(`/chats/${id}`);
          server.clock.pass(LATER_MS);
          const create = (length: number) =>
            server.api.post('/chats', {
              messages: [{ role: 'user', content: 'x'.repeat(length) }],
            });
          expectExceeded(await create(20_000), 'QUOTA_BYTES', 3600);
          const first = await create(11_000);
          expect(first.status).toBe(201);
          if (servers.store.isCluster) server.clock.pass(LATER_MS); // another process has to hear of it
          expectExceeded(await create(11_000), 'QUOTA_BYTES', 3600);
          const small = await server.api.post('/chats', {});
          expect(small.status).toBe(201);
          const metadata = { note: 'x'.repeat(10_000) };
          expectExceeded(await server.api.post('/chats', { metadata }), 'QUOTA_BYTES', 3600);
          const path = `/chats/${small.body.id as string}`;
          expectExceeded(await server.api.patch(path, { metadata }), 'QUOTA_BYTES', 3600);
          await server.api.delete(`/chats/${first.body.id as string}`);
          server.clock.pass(LATER_MS);
          expect((await create(11_000)).status).toBe(201);
        });
      },
      { isOwn: true },
    );
  });
}

function start(server: ServerUnderTest, chat: string, body: object = {}): Promise<Reply> {
  const whole = { user_message: 'Go', ...body };
  return server.api.post(`/chats/${chat}/interactions`, whole, IN_BACKGROUND);
}

function expectExceeded({ status, headers, body }: Reply, quota: string, seconds?: number): void {
  expect(status).toBe(429);
  expect(body).toMatchObject({ type: '/problems/quota_exceeded', status: 429, quota });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  if (seconds !== undefined) expect(headers.get('retry-after')).toBe(String(seconds));
}

/** Counted by all processes. */
async function refusals(server: ServerUnderTest, quota: string): Promise<number> {
  const readings = { working: 0, waiting: 0, queued: 0 };
  const queue = { queue_length: 0, queue_oldest_ms: 0 };
  const rest = {
    ...queue,
    streams: 0,
    spilled: 0,
    store_up: true,
    dependencies: [],
    pending: [],
    now: 0,
  };
  const counts = server.getAll(Metrics).map(async (metrics) => {
    const text = await metrics.scrape({ runs: readings, ...rest });
    const line = text.split('\n').find((each) => each.includes(`{quota="${quota}"}`));
    return Number(line?.split(' ').at(-1));
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
