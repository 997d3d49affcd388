import { once } from 'node:events';
import { Redis } from 'ioredis';
import { RedisLiveBus } from '../../src/event-log/live/redis/redis-live-bus.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { BullRunQueue } from '../../src/queue/bullmq/bull-run-queue.js';
import { connectRedis } from '../../src/redis/connect-redis.js';
import { interactionId } from '../contracts/interaction-store/fixtures.js';
import { Desk } from '../contracts/run-queue.contract.js';
import { eventually } from '../support/eventually.js';
import { openTcpProxy } from '../support/server/tcp-proxy.js';
import type { TcpProxy } from '../support/server/tcp-proxy.js';
import { findRedisServerFault, RedisServer } from '../support/store/redis-server.js';

const clock = new SystemClock();

/** Two servers, and a name that leads to the first of them until it moves. */
class World {
  readonly reports: string[] = [];
  private readonly toClose: (() => Promise<void>)[] = [];

  private constructor(
    readonly first: RedisServer,
    readonly second: RedisServer,
    private readonly target: { host: string; port: number },
    private readonly proxy: TcpProxy,
  ) {}

  static async open(): Promise<World> {
    const first = await RedisServer.start();
    const second = await RedisServer.start();
    const target = { host: '127.0.0.1', port: first.port };
    return new World(first, second, target, await openTcpProxy(target));
  }

  /** By the name that moves. */
  get url(): string {
    return `redis://127.0.0.1:${this.proxy.port}`;
  }

  moveName(): void {
    this.target.port = this.second.port;
  }

  async demote(): Promise<void> {
    await this.ask(this.first, 'REPLICAOF', '127.0.0.1', this.second.port);
  }

  async ask(server: RedisServer, command: string, ...args: (string | number)[]): Promise<unknown> {
    const admin = new Redis(server.port, { connectionName: 'admin' });
    try {
      return await admin.call(command, ...args);
    } finally {
      admin.disconnect();
    }
  }

  /** Number of connections of clients. */
  async connections(server: RedisServer): Promise<number> {
    const list = String(await this.ask(server, 'CLIENT', 'LIST'));
    const lines = list.split('\n').filter((line) => line.startsWith('id='));
    return lines.filter((line) => !/ name=admin | flags=[SM] /.test(line)).length;
  }

  async openBus(url = this.url): Promise<RedisLiveBus> {
    const report = (problem: string): void => void this.reports.push(problem);
    const bus = await RedisLiveBus.open({ url, prefix: 'parley:', report });
    this.toClose.push(() => bus.onApplicationShutdown());
    return bus;
  }

  async openQueue(url = this.url): Promise<BullRunQueue> {
    const options = { url, prefix: 'parley', concurrency: 1, clock, lock_ms: 5_000 };
    const queue = await BullRunQueue.open({ ...options, report: () => {} });
    this.toClose.push(async () => {
      await queue.stop();
      await queue.onApplicationShutdown();
    });
    return queue;
  }

  openConnection(url = this.url): Redis {
    const redis = connectRedis(url, () => {});
    this.toClose.push(async () => redis.disconnect());
    return redis;
  }

  /** Resolves when a frame of a run on the second server reaches a reader of `bus`. */
  async hears(bus: RedisLiveBus): Promise<void> {
    const other = await this.openBus(this.second.url);
    let heard = 0;
    bus.frames('int_1').subscribe(() => heard++);
    await bus.snapshot('int_1'); // it is subscribed
    let number = 0;
    await eventually(() => {
      other.publish('int_1', { epoch: 1, number: ++number, items: [] });
      return heard > 0;
    });
    other.close('int_1', 1);
  }

  async close(): Promise<void> {
    await Promise.all(this.toClose.map((close) => close()));
    await this.proxy.cut();
    await Promise.all([this.first.stop(), this.second.stop()]);
  }
}

(findRedisServerFault() ? describe.skip : describe)('A failover of Redis', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.open();
  });
  afterEach(() => world.close());

  const hasMoved = async (connections: number): Promise<void> => {
    await eventually(
      async () =>
        (await world.connections(world.first)) === 0 &&
        (await world.connections(world.second)) >= connections,
    );
  };

  it('moves all connections of a process to the new primary', async () => {
    const bus = await world.openBus();
    const queue = await world.openQueue();
    const desk = new Desk(queue);
    world.openConnection();
    await eventually(async () => (await world.connections(world.first)) === 6);
    world.moveName();
    await world.demote();
    await hasMoved(6);
    await eventually(() => bus.awaySince === undefined);
    expect(world.reports).toEqual([
      expect.stringMatching(/^Redis connection lost: its reply [A-Z]+ suggests a failover\.$/),
      'Reconnected to Redis.',
    ]);
    await world.hears(bus);
    const id = interactionId();
    (await world.openQueue(world.second.url)).enqueue(id);
    await desk.until(() => desk.started.length === 1);
    expect([desk.started, queue.refusedSince]).toEqual([[id], undefined]);
  });

  it('is noticed by a process that says nothing', async () => {
    const bus = await world.openBus();
    world.moveName();
    await world.demote();
    await hasMoved(2);
    await world.hears(bus);
  });

  it('is noticed by the replies, without the right to INFO', async () => {
    for (const server of [world.first, world.second])
      await world.ask(server, 'ACL', 'SETUSER', 'default', '-info');
    const queue = await world.openQueue();
    const desk = new Desk(queue);
    await eventually(async () => (await world.connections(world.first)) === 3);
    world.moveName();
    await world.demote();
    await hasMoved(3);
    queue.enqueue(interactionId());
    await desk.until(() => desk.started.length === 1);
  });

  it('counts as an outage as long as the name leads to a replica', async () => {
    const bus = await world.openBus();
    await world.demote();
    await eventually(() => bus.awaySince !== undefined);
    const since = bus.awaySince;
    const late = await world.openBus();
    expect(late.awaySince).toBeInstanceOf(Date);
    expect(bus.awaySince).toBe(since);
    await world.ask(world.first, 'REPLICAOF', 'NO', 'ONE');
    await eventually(() => bus.awaySince === undefined && late.awaySince === undefined);
    expect(world.reports.filter((line) => line.includes('read-only replica'))).toHaveLength(2);
  });

  it.each([
    ['commands', 'normal'],
    ['subscriptions', 'pubsub'],
  ])('counts as an outage when it moves only the %s, until all have moved', async (_, type) => {
    const bus = await world.openBus();
    await world.openQueue();
    world.moveName();
    await world.ask(world.first, 'CLIENT', 'KILL', 'TYPE', type);
    await hasMoved(3);
    await eventually(() => bus.awaySince === undefined);
    expect(world.reports.slice(-2)).toEqual([
      'Redis connection lost: published messages are not received.',
      'Reconnected to Redis.',
    ]);
    await world.hears(bus);
  });

  it('is not suspected while messages arrive', async () => {
    const bus = await world.openBus();
    const channel = String(await world.ask(world.first, 'PUBSUB', 'CHANNELS', '*:echo:*'));
    const listener = world.openConnection();
    await once(listener, 'ready');
    let echoes = 0;
    listener.on('message', () => echoes++);
    await listener.subscribe(channel);
    await eventually(() => echoes === 3);
    expect([bus.awaySince, world.reports]).toEqual([undefined, []]);
  });
});
