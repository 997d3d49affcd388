import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { Secret } from '../../src/config/secrets/secret.js';
import { LiveKeys } from '../../src/encryption/live-keys.js';
import { MasterKeys } from '../../src/encryption/master-keys.js';
import { RedisLiveBus } from '../../src/event-log/live/redis/redis-live-bus.js';
import { TopicSubscriptions } from '../../src/event-log/live/redis/topic-subscriptions.js';
import { connectRedis } from '../../src/redis/connect-redis.js';
import type { Frame } from '../../src/event-log/live/live-bus.js';
import { eventually } from '../support/eventually.js';
import { openTcpProxy } from '../support/server/tcp-proxy.js';
import { findRedisFault, testRedisUrl } from '../support/store/test-redis.js';
import { liveBusContract } from './live-bus.contract.js';

const SECRET = new Secret(randomBytes(32).toString('base64'));
const fault = await findRedisFault();

(fault ? describe.skip : describe)('Between processes', () => {
  describe.each([
    ['in plain', undefined],
    ['encrypted', new LiveKeys(new MasterKeys([{ id: 'k1', secret: SECRET }]))],
  ])('%s', (kind, keys) => {
    liveBusContract(`${RedisLiveBus.name} ${kind}`, () => openBus(keys));
  });

  const openBus = async (keys: LiveKeys | undefined) => {
    const options = {
      url: testRedisUrl(),
      prefix: `parley-test-${process.pid}-${keys ? 'sealed' : 'plain'}:`,
      report: () => {},
      keys,
    };
    const publisher = await RedisLiveBus.open(options);
    const subscriber = await RedisLiveBus.open(options);
    const close = async () => {
      await Promise.all([publisher, subscriber].map((bus) => bus.onApplicationShutdown()));
    };
    return { publisher, subscriber, close };
  };

  it('brings nothing, and says why, to a process without the key', async () => {
    const told: string[] = [];
    const prefix = `parley-test-${process.pid}-keys:`;
    const url = testRedisUrl();
    const report = (problem: string) => void told.push(problem);
    const of = (id: string) => new LiveKeys(new MasterKeys([{ id, secret: SECRET }]));
    const publisher = await RedisLiveBus.open({ url, prefix, report: () => {}, keys: of('k1') });
    const subscriber = await RedisLiveBus.open({ url, prefix, report, keys: of('k2') });
    const heard: Frame[] = [];
    const subscription = subscriber.frames('int_1').subscribe((frame) => heard.push(frame));
    await subscriber.snapshot('int_1');
    const delta = { type: 'TEXT_DELTA', block_id: 'a', offset: 0, delta: 'Hi' } as const;
    const items = [{ kind: 'delta', agent_id: 'agent_root', delta } as const];
    publisher.publish('int_1', { epoch: 1, number: 1, items });
    await eventually(() => told.length > 0);
    expect(told.join()).toMatch(/lacks the key "k1".*the same ENCRYPTION_KEYS/);
    expect(await subscriber.snapshot('int_1')).toBeUndefined();
    expect(heard).toEqual([]);
    subscription.unsubscribe();
    publisher.close('int_1', 1);
    await Promise.all([publisher, subscriber].map((bus) => bus.onApplicationShutdown()));
  });

  it('outlives whatever somebody else says on its channels, and tells of it once', async () => {
    const told: string[] = [];
    const prefix = `parley-test-${process.pid}-garbage:`;
    const url = testRedisUrl();
    const bus = await RedisLiveBus.open({ url, prefix, report: (problem) => told.push(problem) });
    const stranger = new Redis(url);
    const heard = new Promise<Frame>((resolve) => {
      bus.frames('int_1').subscribe((frame) => frame.number === 7 && resolve(frame));
    });
    await bus.snapshot('int_1'); // it listens
    const say = (channel: string, text: string) => stranger.publish(`${prefix}${channel}`, text);
    for (const text of ['{', 'null', '{"sender":"x"}', '{"sender":"x","frames":[{"epoch":1}]}'])
      await say('frames:int_1', text);
    await say('wake', 'hello?');
    await say('frames:int_1', '{"sender":"x","frames":[{"epoch":1,"number":7,"items":[]}]}');
    expect(await heard).toMatchObject({ epoch: 1, number: 7 });
    expect(told.filter((problem) => problem.includes('malformed message'))).toHaveLength(1);
    stranger.disconnect();
    await bus.onApplicationShutdown();
  });

  it('tells who came while Redis was away what is said there, once it is back', async () => {
    const url = new URL(testRedisUrl());
    const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
    const prefix = `parley-test-${process.pid}-late:`;
    const report = (): void => {};
    const publisher = await RedisLiveBus.open({ url: url.href, prefix, report });
    url.host = `127.0.0.1:${proxy.port}`;
    const subscriber = await RedisLiveBus.open({ url: url.href, prefix, report });
    await proxy.cut();
    await eventually(() => subscriber.awaySince !== undefined);
    const delta = { type: 'TEXT_DELTA' as const, block_id: 'a', offset: 0, delta: 'Half' };
    publisher.publish('int_1', {
      ...{ epoch: 1, number: 1 },
      items: [{ kind: 'delta', agent_id: 'agt_1', delta }],
    });
    const heard = new Promise<Frame>((resolve) => {
      subscriber.frames('int_1').subscribe(resolve);
    });
    expect(await subscriber.snapshot('int_1')).toBeUndefined();
    await proxy.restore();
    expect((await heard).number).toBeGreaterThan(0); // a frame that nobody has the one before of
    expect(await subscriber.snapshot('int_1')).toMatchObject({ blocks: [{ text: 'Half' }] });
    publisher.close('int_1', 1);
    await Promise.all([publisher, subscriber].map((bus) => bus.onApplicationShutdown()));
    await proxy.cut();
  });

  it('keeps what a run says from one that was lost to it, on another process (I6)', async () => {
    const prefix = `parley-test-${process.pid}-lost:`;
    const open = () => RedisLiveBus.open({ url: testRedisUrl(), prefix, report: () => {} });
    const [lost, next, reader] = await Promise.all([open(), open(), open()]);
    const heard: number[] = [];
    reader.frames('int_1').subscribe(({ epoch }) => heard.push(epoch));
    const say = (bus: RedisLiveBus, [epoch, number]: [number, number], text: string): void => {
      const place = { block_id: `${epoch}b0`, offset: number === 1 ? 0 : 3 };
      const delta = { type: 'TEXT_DELTA' as const, ...place, delta: text };
      bus.publish('int_1', { epoch, number, items: [{ kind: 'delta', agent_id: 'agt_1', delta }] });
    };
    const stored = () => reader.snapshot('int_1');
    await stored(); // it listens
    say(lost, [1, 1], 'old');
    await eventually(async () => (await stored())?.epoch === 1);
    say(next, [2, 1], 'new');
    await eventually(async () => (await stored())?.epoch === 2);
    say(lost, [1, 2], 'zombie');
    await lost.onApplicationShutdown(); // it has said that
    expect(await stored()).toMatchObject({ epoch: 2, number: 1, blocks: [{ text: 'new' }] });
    say(next, [2, 2], '!');
    await eventually(() => heard.length >= 3);
    expect(heard).toEqual([1, 2, 2]);
    const blocks = [expect.objectContaining({ block_id: '2b0', text: 'new!' })];
    const block = (await stored())!.blocks.map(({ delta, text }) => ({ ...delta, text }));
    expect(block).toEqual(blocks);
    next.close('int_1', 2);
    await Promise.all([next, reader].map((bus) => bus.onApplicationShutdown()));
  });

  it('has Redis know again what it has forgotten while a run says nothing', async () => {
    const url = new URL(testRedisUrl());
    const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
    const prefix = `parley-test-${process.pid}-forgets:`;
    const report = (): void => {};
    const reader = await RedisLiveBus.open({ url: url.href, prefix, report });
    const stranger = new Redis(url.href);
    url.host = `127.0.0.1:${proxy.port}`;
    const publisher = await RedisLiveBus.open({ url: url.href, prefix, report });
    const delta = { type: 'TEXT_DELTA' as const, block_id: 'a', offset: 0, delta: 'Half' };
    publisher.publish('int_1', {
      ...{ epoch: 1, number: 1 },
      items: [{ kind: 'delta', agent_id: 'agt_1', delta }],
    });
    const isKnown = async () => (await reader.snapshot('int_1'))?.blocks[0]?.text === 'Half';
    await eventually(isKnown);
    await proxy.cut();
    await stranger.del(await stranger.keys(`${prefix}*`));
    expect(await isKnown()).toBe(false);
    await proxy.restore();
    await eventually(isKnown);
    publisher.close('int_1', 1);
    await Promise.all([publisher, reader].map((bus) => bus.onApplicationShutdown()));
    stranger.disconnect();
    await proxy.cut();
  });

  it('tells that Redis hangs, and that it answers again', async () => {
    const url = new URL(testRedisUrl());
    const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
    url.host = `127.0.0.1:${proxy.port}`;
    const told: string[] = [];
    const prefix = `parley-test-${process.pid}-hangs:`;
    const report = (problem: string): void => void told.push(problem);
    const bus = await RedisLiveBus.open({ url: url.href, prefix, report });
    expect(bus.awaySince).toBeUndefined();
    proxy.silence();
    await eventually(() => bus.awaySince !== undefined);
    await proxy.cut();
    await proxy.restore();
    await eventually(() => bus.awaySince === undefined);
    expect(told).toEqual(['Redis connection lost: it does not answer.', 'Reconnected to Redis.']);
    await bus.onApplicationShutdown();
    await proxy.cut();
  });

  it('finds out that one that only listens is heard by nobody any more', async () => {
    const url = new URL(testRedisUrl());
    const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
    url.host = `127.0.0.1:${proxy.port}`;
    const redis = connectRedis(url.href, () => {}, { autoResubscribe: false });
    await once(redis, 'ready');
    await redis.subscribe(`parley-test-${process.pid}-quiet`);
    let closed = 0;
    redis.on('close', () => closed++);
    const asked = jest.spyOn(redis, 'ping');
    await eventually(() => asked.mock.calls.length === 2); // it has answered the first time
    expect(closed).toBe(0);
    const again = once(redis, 'ready');
    proxy.freeze();
    await again;
    redis.disconnect();
    await proxy.cut();
  });

  it('tells once of what Redis refuses', async () => {
    const admin = new Redis(testRedisUrl());
    const user = `parley-test-${process.pid}`;
    await admin.call('ACL', 'SETUSER', user, 'on', '>secret', '~*', 'resetchannels', '+@all');
    const url = Object.assign(new URL(testRedisUrl()), { username: user, password: 'secret' });
    const told: string[] = [];
    const prefix = `parley-test-${process.pid}-refused:`;
    const report = (problem: string): void => void told.push(problem);
    const bus = await RedisLiveBus.open({ url: url.href, prefix, report });
    for (let n = 0; n < 3; n++) bus.noteReader('int_1');
    try {
      await eventually(() => told.length > 0);
    } finally {
      await bus.onApplicationShutdown();
      await admin.call('ACL', 'DELUSER', user);
    }
    expect(told).toEqual([expect.stringMatching(/^Redis rejected a command: NOPERM/)]);
    expect(told.join()).not.toContain('secret');
    admin.disconnect();
  });

  it('connects at the first try while readers come', async () => {
    const faults: string[] = [];
    const redis = connectRedis(testRedisUrl(), ({ message }) => faults.push(message));
    const channel = `parley-test-${process.pid}-early`;
    const subscriptions = new TopicSubscriptions(redis);
    redis.once('connect', () => subscriptions.add(channel));
    await once(redis, 'ready');
    subscriptions.restore();
    await subscriptions.ready(channel);
    const heard = once(redis, 'message');
    const stranger = new Redis(testRedisUrl());
    await stranger.publish(channel, 'hello');
    expect(await heard).toEqual([channel, 'hello']);
    expect(faults).toEqual([]);
    for (const each of [redis, stranger]) each.disconnect();
  });

  it('has all that is open again when Redis was emptied in the middle of it', async () => {
    const prefix = `parley-test-${process.pid}-emptied:`;
    const url = testRedisUrl();
    const open = () => RedisLiveBus.open({ url, prefix, report: () => {} });
    const [publisher, subscriber] = [await open(), await open()];
    const say = (number: number, offset: number, delta: string) =>
      publisher.publish('int_1', {
        ...{ epoch: 1, number },
        items: [
          {
            ...{ kind: 'delta', agent_id: 'agt_1' },
            delta: { type: 'TEXT_DELTA', block_id: 'a', offset, delta },
          },
        ],
      });
    const has = async (text: string) =>
      (await subscriber.snapshot('int_1'))?.blocks[0]?.text === text;
    say(1, 0, 'Half');
    await eventually(() => has('Half'));
    const redis = new Redis(url);
    await redis.del(...(await redis.keys(`${prefix}*`)));
    say(2, 4, ' of it');
    await eventually(() => has('Half of it'));
    publisher.close('int_1', 1);
    await Promise.all([publisher, subscriber].map((bus) => bus.onApplicationShutdown()));
    redis.disconnect();
  });
});
