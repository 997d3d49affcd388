import { SystemClock } from '../../src/kernel/clock.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load-config.js';
import { LogWriter } from '../../src/event-log/append/log-writer.js';
import { SpillFolder } from '../../src/event-log/spill/spill-folder.js';
import { Spill } from '../../src/event-log/spill/spill.js';
import { AdmissionGate } from '../../src/streams/admission-gate.js';
import { AppError } from '../../src/kernel/app-error.js';
import { LocalRunQueue } from '../../src/queue/local/local-run-queue.js';
import { CrashQuarantine } from '../../src/runs/runner/crash-quarantine.js';
import { LeaseKeeper, ProcessName } from '../../src/runs/runner/lease-keeper.js';
import { Runner } from '../../src/runs/runner/runner.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { RunWorld } from '../support/runs/run-world.js';
import { listUnowned } from '../support/store/list-unowned.js';
import { portsOf } from '../support/store/whole-store.js';

const TTL = 15_000;

describe('Records that a run could not save', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'parley-spilled-'));
    for (const level of ['log', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockReturnValue();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** A process that runs an interaction, and fails to save so many times. */
  async function open(failures: number) {
    let steps = 0;
    let left = failures;
    const clock = new FakeClock();
    const world = await RunWorld.open({
      agent: async (ctx) => void (await ctx.step('once', () => ++steps)),
      clock,
    });
    const { store } = world;
    const append = store.append.bind(store);
    store.append = async (batches) => {
      if (left-- > 0) throw new AppError('unavailable', 'store_unavailable', 'Away.');
      return append(batches);
    };
    const spill = new Spill(portsOf(store), new SpillFolder(dataDir, 1_000_000));
    const writer = new LogWriter(store, clock, { save_timeout_ms: 0, spill });
    const queue = new LocalRunQueue(1, new SystemClock());
    const config = { leaseTtlMs: TTL } as Config;
    const leases = new LeaseKeeper(store, store, clock, config, new ProcessName());
    const quarantine = new CrashQuarantine(queue, loadConfig({}));
    const services = Object.assign(world.deps(), { spill, writer });
    const runner = new Runner(services, queue, leases, quarantine, new AdmissionGate());
    runner.onApplicationBootstrap();
    return {
      ...{ world, spill, clock, runner },
      steps: () => steps,
      isFree: async () => (await listUnowned(store, 10)).includes(world.interactionId),
      /** Resolves when the run has ended or stopped. */
      run: async (): Promise<void> => {
        queue.enqueue(world.interactionId);
        await queue.room();
      },
    };
  }

  it('are saved before its lease is free, if the store is back by then (I3)', async () => {
    const { world, spill, run, runner, isFree, steps } = await open(1);
    await run();
    await eventually(isFree);
    expect(await world.types()).toEqual(['INTERACTION_STARTED', 'STEP_COMPLETED']);
    expect(spill.count).toBe(0);
    await run();
    await expectEnded(world);
    expect(steps()).toBe(1);
    await runner.onModuleDestroy();
  });

  it('are saved before the interaction goes on, which does nothing of it again (I3, I4)', async () => {
    const { world, spill, clock, run, runner, steps } = await open(2);
    await run();
    expect(spill.count).toBe(1);
    expect(await world.types()).toEqual(['INTERACTION_STARTED']);
    clock.pass(TTL + 1);
    await run();
    await expectEnded(world);
    expect(spill.count).toBe(0);
    expect(steps()).toBe(1);
    expect(await world.types()).toEqual([
      ...['INTERACTION_STARTED', 'STEP_COMPLETED', 'RESUMED', 'INTERACTION_COMPLETE'],
    ]);
    expect(await world.all('RESUMED')).toMatchObject([
      { reason: 'its records could not be saved for a while' },
    ]);
    await runner.onModuleDestroy();
  });
});
