import { Redis } from 'ioredis';
import { PGLITE } from '../e2e/stores.js';
import type { OpenStore } from '../e2e/stores.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server/test-server.js';
import { findRedisServerFault, RedisServer } from '../support/store/redis-server.js';

/** Where a Redis makes sense: the stores are open already. */
const UNUSED = 'postgres://127.0.0.1:9/unused';

(findRedisServerFault() ? describe.skip : describe)('A server whose Redis refuses commands', () => {
  let redis: RedisServer;
  let admin: Redis;
  let opened: OpenStore;
  let server: TestServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
    admin = new Redis(redis.port);
    opened = await PGLITE.open();
    server = await TestServer.start(opened.stores, {
      env: { DATABASE_URL: UNUSED, REDIS_URL: redis.url },
    });
  });
  afterAll(async () => {
    await server?.stop();
    await opened?.close();
    admin?.disconnect();
    await redis?.stop();
  });

  it('shows it where it says that it is ready, and goes on', async () => {
    const ready = async () => (await server.api.get('/health/ready')).body;
    expect(await ready()).toMatchObject({ status: 'ok' });
    await admin.config('SET', 'maxmemory', 1);
    server.fake.reply({ text: ['Still', ' here.'] });
    const reader = await server.api.say('full', 'Go');
    expect(reader.find('ANSWER')).toMatchObject({ content: 'Still here.' });
    await eventually(async () => (await ready()).status === 'degraded');
    const since = expect.any(String);
    expect((await ready()).degraded).toEqual([{ dependency: 'redis', since }]);
  });
});
