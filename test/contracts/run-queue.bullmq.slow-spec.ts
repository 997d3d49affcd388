import { jest } from '@jest/globals';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { SystemClock } from '../../src/kernel/clock.js';
import { RedisLiveBus } from '../../src/event-log/live/redis/redis-live-bus.js';
import { BullRunQueue } from '../../src/queue/bullmq/bull-run-queue.js';
import { eventually } from '../support/eventually.js';
import { RedisServer, findRedisServerFault } from '../support/store/redis-server.js';
import { findRedisFault, testRedisUrl } from '../support/store/test-redis.js';
import { interactionId } from './interaction-store/fixtures.js';
import { Desk, runQueueContract } from './run-queue.contract.js';

const clock = new SystemClock();
const fault = await findRedisFault();
const noServer = findRedisServerFault();

(fault ? describe.skip : describe)('Between processes', () => {
  let opened = 0;
  let redis: Redis;
  const queues: BullRunQueue[] = [];

  const refused: string[] = [];
  const report = (problem: string): void => void refused.push(problem);
  const nextPrefix = (): string => `parley-test-${process.pid}-${++opened}`;
  const open = async (prefix: string, lock_ms = 5_000): Promise<BullRunQueue> => {
    const options = { url: testRedisUrl(), prefix, concurrency: 1, clock, lock_ms, report };
    const queue = await BullRunQueue.open(options);
    queues.push(queue);
    return queue;
  };
  const close = async (queue: BullRunQueue): Promise<void> => {
    await queue.stop();
    await queue.onApplicationShutdown();
  };

  beforeAll(() => {
    redis = new Redis(testRedisUrl());
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => close(queue)));
    expect(refused).toEqual([]);
  });
  afterAll(async () => {
    const left = await redis.keys(`parley-test-${process.pid}-*`);
    if (left.length > 0) await redis.del(left);
    redis.disconnect();
  });

  runQueueContract(BullRunQueue.name, async (concurrency) => {
    const options = {
      url: testRedisUrl(),
      prefix: nextPrefix(),
      concurrency,
      clock,
      lock_ms: 5_000,
      report,
    };
    const queue = await BullRunQueue.open(options);
    return { queue, close: () => close(queue) };
  });

  it('hands each interaction to one process only, and to whoever has room', async () => {
    const prefix = nextPrefix();
    const [api, one, two] = [await open(prefix), await open(prefix), await open(prefix)];
    const [first, second] = [new Desk(one, { held: true }), new Desk(two, { held: true })];
    const ids = Array.from({ length: 6 }, () => interactionId());
    for (const id of ids) api.enqueue(id, { priority: 'new' });
    const started = (): string[] => [...first.started, ...second.started];
    await eventually(() => started().length === 2);
    expect([first.started.length, second.started.length]).toEqual([1, 1]);
    for (const queue of [api, one]) {
      expect(await queue.countWaiting()).toBe(4);
      expect(await queue.longestWait()).toBeGreaterThan(0);
    }
    first.openAll();
    await eventually(() => started().length === 6);
    expect(second.started).toHaveLength(1);
    expect(started().toSorted()).toEqual(ids.toSorted());
    second.openAll();
  });

  it('leaves it to the others while its own slots are taken otherwise', async () => {
    const prefix = nextPrefix();
    const [busy, free] = [await open(prefix), await open(prefix)];
    const desk = new Desk(busy, { held: true });
    const own = interactionId();
    busy.enqueue(own, { affinity: 'local' });
    await desk.until(() => desk.started.length === 1);
    const others = new Desk(free);
    const ids = [interactionId(), interactionId()];
    for (const id of ids) busy.enqueue(id);
    await others.until(() => others.started.length === 2);
    expect(desk.started).toEqual([own]);
    desk.openAll();
  });

  it('hands what a process had not begun to others when that stops', async () => {
    const prefix = nextPrefix();
    const [leaving, staying] = [await open(prefix), await open(prefix)];
    const desk = new Desk(leaving, { held: true });
    const ids = [interactionId(), interactionId()];
    leaving.enqueue(ids[0]!);
    await desk.until(() => desk.started.length === 1);
    leaving.enqueue(ids[1]!);
    leaving.enqueue(ids[0]!); // what it runs, too: it asks for one more run
    const stopped = leaving.stop();
    const others = new Desk(staying);
    await others.until(() => others.started.length === 1);
    expect(others.started).toEqual([ids[1]]);
    desk.openAll();
    await stopped;
    await others.until(() => others.started.length === 2);
    expect(others.started).toEqual([ids[1], ids[0]]);
  });

  it('takes nothing from a process that is at it for longer than a lock lasts', async () => {
    const lock_ms = 2_100; // also for a machine that is busy
    const prefix = nextPrefix();
    const [busy, free] = [await open(prefix, lock_ms), await open(prefix, lock_ms)];
    const desk = new Desk(busy, { held: true });
    busy.enqueue(interactionId());
    await desk.until(() => desk.started.length === 1);
    const others = new Desk(free); // looks for what nobody keeps
    const [lock] = await redis.keys(`${prefix}:runs:*:lock`);
    let left_ms = await redis.pttl(lock!);
    let renewals = 0;
    await eventually(async () => {
      const now_ms = await redis.pttl(lock!);
      if (now_ms > left_ms) renewals++;
      left_ms = now_ms;
      return renewals === 4; // three of them are a lock's time
    });
    expect(await redis.llen(`${prefix}:runs:active`)).toBe(1);
    desk.openAll();
    await eventually(async () => (await redis.llen(`${prefix}:runs:active`)) === 0);
    expect(others.started).toEqual([]);
  });

  it('gives nothing of a process that died to anybody: the lease tells who takes it up', async () => {
    const prefix = nextPrefix();
    const dying = await open(prefix, 400); // not a multiple of what it is parted into
    const desk = new Desk(dying, { held: true });
    const [lost, next] = [interactionId(), interactionId()];
    dying.enqueue(lost);
    await desk.until(() => desk.started.length === 1);
    await dying.onApplicationShutdown(); // it is not heard of any more
    const others = new Desk(await open(prefix, 400));
    await eventually(async () => (await redis.llen(`${prefix}:runs:active`)) === 0);
    queues.at(-1)!.enqueue(next);
    await others.until(() => others.started.length === 1);
    expect(others.started).toEqual([next]);
    desk.openAll();
  });

  /** The desk of a process that died with an interaction, and that of another one. */
  const die = async (lock_ms: number): Promise<{ dead: Desk; next: Desk }> => {
    const prefix = nextPrefix();
    const dying = await open(prefix, lock_ms);
    const dead = new Desk(dying, { held: true });
    const others = await open(prefix, lock_ms);
    const id = interactionId();
    dying.enqueue(id);
    await dead.until(() => dead.started.length === 1);
    await dying.onApplicationShutdown(); // it is not heard of any more
    const next = new Desk(others);
    others.enqueue(id);
    return { dead, next };
  };

  it('hands out again what a process that died had, the sooner the shorter its lock is', async () => {
    const late = await die(25_000); // less than the time between two looks of BullMQ by default
    const soon = await die(5_000);
    await soon.next.until(() => soon.next.started.length === 1);
    expect(late.next.started).toEqual([]);
    for (const { dead } of [soon, late]) dead.openAll();
  });

  it('has no trouble with what somebody else has put into it', async () => {
    const prefix = nextPrefix();
    const queue = await open(prefix);
    const stranger = new Queue('runs', { connection: redis, prefix });
    for (const data of [null, 'hello', 7, {}, { interaction_id: { $ne: 1 } }])
      await stranger.add('run', data);
    const desk = new Desk(queue);
    const id = interactionId();
    queue.enqueue(id, { priority: 'new' });
    await desk.until(() => desk.started.length === 1);
    await eventually(async () => (await redis.llen(`${prefix}:runs:active`)) === 0);
    expect(desk.started).toEqual([id]);
    await stranger.close();
  });

  it('keeps nothing of an interaction that has returned', async () => {
    const prefix = nextPrefix();
    const queue = await open(prefix);
    const desk = new Desk(queue);
    const id = interactionId();
    queue.enqueue(id);
    await desk.until(() => desk.started.length === 1);
    await eventually(async () => (await redis.llen(`${prefix}:runs:active`)) === 0);
    const keys = await redis.keys(`${prefix}*`);
    expect(keys.filter((key) => key.includes(id) || /:\d+$/.test(key))).toEqual([]);
  });

  (noServer ? it.skip : it)('leaves it to the log what a Redis is like', async () => {
    const server = await RedisServer.start();
    const admin = new Redis(server.port);
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const warnings = jest.spyOn(console, 'warn').mockImplementation(() => {});
    const url = `redis://127.0.0.1:${server.port}`;
    const told: string[] = [];
    const report = (problem: string): void => void told.push(problem);
    const bus = await RedisLiveBus.open({ url, prefix: 'p:', report });
    const options = { url, prefix: 'p', concurrency: 1, clock, lock_ms: 5_000, report };
    const queue = await BullRunQueue.open(options);
    const desk = new Desk(queue);
    queue.enqueue(interactionId());
    await desk.until(() => desk.started.length === 1);
    await eventually(() => told.length > 0);
    expect(told).toEqual([expect.stringContaining('maxmemory-policy is allkeys-lru')]);
    expect(warnings).not.toHaveBeenCalled();
    warnings.mockRestore();
    await close(queue);
    await bus.onApplicationShutdown();
    admin.disconnect();
    await server.stop();
  });

  (noServer ? it.skip : it)('needs no INFO, and tells what is refused', async () => {
    const server = await RedisServer.start();
    const admin = new Redis(server.port);
    await admin.call('ACL', 'SETUSER', 'parley', 'on', '>pw', '~*', '&*', '+@all', '-info');
    const url = `redis://parley:pw@127.0.0.1:${server.port}`;
    const told: string[] = [];
    const warnings = jest.spyOn(console, 'warn').mockImplementation(() => {}); // of the client
    const queue = await BullRunQueue.open({
      ...{ url, prefix: 'p', concurrency: 1, clock, lock_ms: 5_000 },
      report: (problem) => void told.push(problem),
    });
    const desk = new Desk(queue);
    queue.enqueue(interactionId());
    await desk.until(() => desk.started.length === 1);
    expect([queue.refusedSince, told]).toEqual([undefined, []]);
    await admin.call('ACL', 'SETUSER', 'parley', '-evalsha', '-eval');
    queue.enqueue(interactionId());
    await desk.until(() => desk.started.length === 2); // by itself
    expect(queue.refusedSince).toBeInstanceOf(Date);
    expect(told).toEqual([expect.stringContaining('NOPERM')]);
    warnings.mockRestore();
    await close(queue);
    admin.disconnect();
    await server.stop();
  });

  it('goes on by itself while Redis is away, if it runs anything', async () => {
    const queue = await BullRunQueue.open({
      url: 'redis://127.0.0.1:9',
      prefix: 'away',
      concurrency: 1,
      clock,
      lock_ms: 5_000,
      report,
    });
    queue.enqueue(interactionId()); // nobody here runs it
    const desk = new Desk(queue);
    const id = interactionId();
    queue.enqueue(id);
    await desk.until(() => desk.started.length === 1);
    expect(desk.started).toEqual([id]);
    await close(queue);
  });
});
