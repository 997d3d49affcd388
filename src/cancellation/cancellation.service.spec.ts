import type { RunWaker } from '../event-log/live/run-waker.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import { ChatAccess } from '../access/chat-access.js';
import { CancellationService } from './cancellation.service.js';

describe(CancellationService.name, () => {
  let woken: string[];
  let world: RunWorld;
  let cancellation: CancellationService;

  beforeEach(async () => {
    woken = [];
    world = await RunWorld.open();
    const waker = { wake: (id: string) => void woken.push(id) } as unknown as RunWaker;
    const unused = {} as never; // by `request`
    const access = new ChatAccess(world.store, world.store);
    cancellation = new CancellationService(
      ...([access, world.store, world.store, waker, unused, unused] as const),
    );
  });

  it('flags the interaction, then wakes its run', async () => {
    const id = world.interactionId;
    const row = await cancellation.request(await world.row(), 'user');
    expect(row).toMatchObject({ id, cancel_reason: 'user', signals: 1 });
    expect(await world.row()).toEqual(row);
    expect(woken).toEqual([id]);
  });

  it('keeps the first reason, and wakes its run again', async () => {
    await cancellation.request(await world.row(), 'user');
    const row = await cancellation.request(await world.row(), 'later');
    expect(row?.cancel_reason).toBe('user');
    expect(woken).toHaveLength(2);
  });

  it('wakes nothing when the interaction has ended', async () => {
    await world.run();
    const row = await cancellation.request(await world.row(), 'user');
    expect(row).toMatchObject({ status: 'COMPLETED', cancel_reason: null });
    expect(woken).toEqual([]);
  });

  it('answers nothing for an interaction that is not there', async () => {
    expect(
      await cancellation.request({ id: 'int_none', tenant_id: 'default' }, 'user'),
    ).toBeUndefined();
    expect(woken).toEqual([]);
  });
});
