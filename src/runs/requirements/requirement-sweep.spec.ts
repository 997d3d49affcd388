import type { Config } from '../../config/config.js';
import type { LeaseStore } from '../../persistence/lease.store.js';
import type { RunStores } from '../../persistence/stores.js';
import type { EnqueueOptions, RunQueue } from '../../queue/run-queue.js';
import { MovableClock } from '../../../test/support/movable-clock.js';
import { quiet } from '../../../test/support/quiet.js';
import type { AgentRegistry } from '../../agents/agent-registry.js';
import { AppError } from '../../kernel/app-error.js';
import type { ToolRegistry } from '../../tools/core/tool-registry.js';
import type { Inventory } from './inventory.js';
import { RequirementSweep } from './requirement-sweep.js';

const EVERY_MS = 5_000;

/** Parked interactions, by what they wait for, and a server that has some of it. */
class World {
  readonly parked = new Map<string, string[]>();
  readonly there = new Set<string>();
  readonly looked: string[] = [];
  readonly enqueued: (readonly [id: string, options: EnqueueOptions | undefined])[] = [];
  readonly clock = new MovableClock();
  readonly sweep: RequirementSweep;

  constructor(role: Config['role'] = 'all') {
    const leases: Pick<LeaseStore, 'listAwaited' | 'wakeParked'> = {
      listAwaited: async (limit, after = '') =>
        [...this.parked]
          .flatMap(([name, ids]) => (ids.length > 0 && name > after ? name : []))
          .sort()
          .slice(0, limit),
      wakeParked: async (name, limit) => this.parked.get(name)!.splice(0, limit),
    };
    const agents = {
      get: (name: string) => {
        this.looked.push(name);
        if (!this.there.has(name)) throw new AppError('invalid', 'unknown_agent', 'None.');
      },
    } as unknown as AgentRegistry;
    const tools = {
      find: () => {
        throw new Error('broken');
      },
    } as unknown as ToolRegistry;
    const stores = { leases } as RunStores;
    const inventory = { agents, tools } as Inventory;
    const enqueue = (id: string, options?: EnqueueOptions) =>
      void this.enqueued.push([id, options]);
    const queue = { enqueue } as unknown as RunQueue;
    this.sweep = new RequirementSweep(stores, queue, inventory, { role } as Config, this.clock);
  }

  get ids(): string[] {
    return this.enqueued.map(([id]) => id);
  }

  async round(): Promise<void> {
    this.clock.pass(EVERY_MS);
    await quiet(null);
  }
}

describe(RequirementSweep.name, () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.sweep.onApplicationShutdown());

  const begin = async (): Promise<void> => {
    world.sweep.onApplicationBootstrap();
    await quiet(null);
  };

  it('resumes at the start, here, what waits for something that is there (I3)', async () => {
    world.parked.set('agent:a', ['int_1', 'int_2']).set('agent:b', ['int_3']);
    world.there.add('a');
    await begin();
    expect(world.enqueued).toEqual([
      ['int_1', { affinity: 'local' }],
      ['int_2', { affinity: 'local' }],
    ]);
  });

  it('finds later what has come meanwhile, and looks each up once a round', async () => {
    world.parked.set('agent:a', ['int_1', 'int_2', 'int_3']);
    await begin();
    await world.round();
    expect([world.looked, world.ids]).toEqual([['a', 'a'], []]);
    world.there.add('a');
    await world.round();
    expect(world.ids).toEqual(['int_1', 'int_2', 'int_3']);
    await world.round();
    expect(world.looked).toHaveLength(3);
  });

  it('is not kept from any by many others, nor by one that can’t be looked up (I3)', async () => {
    for (let i = 1_000; i < 3_500; i++) world.parked.set(`agent:${i}`, [`int_${i}`]);
    world.parked.set('tool:broken', ['int_t']).set('agent:z', [...Array(2_500).keys()].map(String));
    world.there.add('z').add('1000');
    await begin();
    expect(world.ids).toHaveLength(2_501);
  });

  it('leaves it to others where nothing is run', async () => {
    world = new World('api');
    world.parked.set('agent:a', ['int_1']);
    world.there.add('a');
    await begin();
    await world.round();
    expect(world.ids).toEqual([]);
  });
});
