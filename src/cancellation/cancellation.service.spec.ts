import type { LiveBus } from '../event-log/live/live-bus.js';
import type { RunQueue } from '../queue/run-queue.js';
import { RunWorld } from '../../test/support/run-world.js';
import { CancellationService } from './cancellation.service.js';

describe(CancellationService.name, () => {
  let told: string[];
  let world: RunWorld;
  let cancellation: CancellationService;

  beforeEach(async () => {
    told = [];
    world = await RunWorld.open();
    const bus = { wake: (id: string) => told.push(`wake ${id}`) } as unknown as LiveBus;
    const queue = { enqueue: (id: string) => told.push(`run ${id}`) } as unknown as RunQueue;
    cancellation = new CancellationService(world.store, bus, queue);
  });

  it('flags the interaction, and then tells whoever runs it, or has it run', async () => {
    const id = world.interactionId;
    const row = await cancellation.request(id, 'user');
    expect(row).toMatchObject({ id, cancel_reason: 'user', signals: 1 });
    expect(await world.row()).toEqual(row);
    expect(told).toEqual([`wake ${id}`, `run ${id}`]);
  });

  it('keeps the first reason, and tells again', async () => {
    await cancellation.request(world.interactionId, 'user');
    const row = await cancellation.request(world.interactionId, 'later');
    expect(row?.cancel_reason).toBe('user');
    expect(told).toHaveLength(4);
  });

  it('disturbs nobody when the interaction has ended', async () => {
    await world.run();
    const row = await cancellation.request(world.interactionId, 'user');
    expect(row).toMatchObject({ status: 'COMPLETED', cancel_reason: null });
    expect(told).toEqual([]);
  });

  it('answers nothing for an interaction that is not there', async () => {
    expect(await cancellation.request('int_none', 'user')).toBeUndefined();
    expect(told).toEqual([]);
  });
});
