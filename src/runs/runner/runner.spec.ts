import { SystemClock } from '../../kernel/clock.js';
import { jest } from '@jest/globals';
import type { AgentContext } from '../../agents/agent-context.js';
import { ReactAgent } from '../../agents/kinds/react/react.agent.js';
import type { Config } from '../../config/config.js';
import { RunWaker } from '../../event-log/live/run-waker.js';
import { AppError } from '../../kernel/app-error.js';
import { currentTenant, withinTenant } from '../../kernel/tenant-scope.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { LeaseTerms } from '../../persistence/rows/lease-rows.js';
import { LocalRunQueue } from '../../queue/local/local-run-queue.js';
import { expectEnded } from '../../../test/support/client/expect-ended.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { Gate } from '../../../test/support/gate.js';
import { answerTurn } from '../../../test/support/model/model-events.js';
import { aborted, quiet } from '../../../test/support/quiet.js';
import { RunWorld } from '../../../test/support/runs/run-world.js';
import type { AgentFunction, RunWorldOptions } from '../../../test/support/runs/run-world.js';
import { ScriptedProvider } from '../../../test/support/model/scripted-provider.js';
import { AdmissionGate } from '../../streams/admission-gate.js';
import { LeaseKeeper, ProcessName } from './lease-keeper.js';
import { Runner } from './runner.js';
import { loadConfig } from '../../config/load-config.js';
import { CrashQuarantine } from './crash-quarantine.js';
import { listUnowned } from '../../../test/support/store/list-unowned.js';

const TTL = 15_000;
const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

/** One process: a runner with its queue and its leases, and one interaction. */
class Process {
  readonly queue = new LocalRunQueue(4, new SystemClock());
  readonly runner: Runner;
  readonly leases: LeaseKeeper;

  private constructor(
    readonly world: RunWorld,
    readonly clock: FakeClock,
    name: ProcessName,
  ) {
    const config = { leaseTtlMs: TTL } as Config;
    this.leases = new LeaseKeeper(world.store, world.store, clock, config, name);
    const suspects = new CrashQuarantine(this.queue, loadConfig({}));
    this.runner = new Runner(world.deps(), this.queue, this.leases, suspects, new AdmissionGate());
  }

  static async open(options: RunWorldOptions & { leased?: boolean } = {}): Promise<Process> {
    const clock = new FakeClock();
    const name = new ProcessName();
    const lease: LeaseTerms = { owner: name.name, ttl_ms: TTL };
    const { leased = false, ...rest } = options;
    const world = await RunWorld.open({ agent: react, ...rest, clock, ...(leased && { lease }) });
    return new Process(world, clock, name);
  }

  async claim(): Promise<void> {
    const [first] = await this.world.log();
    const interaction = await this.world.row();
    this.runner.runClaimed(
      {
        outcome: 'started',
        interaction,
        first: first!,
        is_new_chat: interaction.parent_id === null,
      },
      this.clock.monotonic(),
    );
  }

  /** Resolves when the process has nothing more to run. */
  stop(): Promise<void> {
    return this.runner.onModuleDestroy();
  }

  ended(): Promise<void> {
    return new Promise((resolve) => {
      this.world.bus.frames(this.world.interactionId).subscribe(({ items }) => {
        for (const item of items)
          if (item.kind === 'record' && item.record.body.type === 'INTERACTION_COMPLETE') resolve();
      });
    });
  }

  /** Holds up the reading of its log. */
  holdUpLoading(): Gate {
    const gate = new Gate();
    const { store } = this.world;
    const read = store.readRecords.bind(store);
    store.readRecords = async (...asked) => {
      await gate.pass();
      return read(...asked);
    };
    return gate;
  }

  async isFree(): Promise<boolean> {
    return (await listUnowned(this.world.store, 10)).includes(this.world.interactionId);
  }
}

/** An agent that waits until it is stopped. */
function waiting(gate: Gate): AgentFunction {
  return async (ctx) => {
    void gate.pass();
    await aborted(ctx.signal);
  };
}

describe(Runner.name, () => {
  it('runs what the queue hands out, to its end', async () => {
    const process = await Process.open();
    const ended = process.ended();
    process.runner.onApplicationBootstrap();
    process.queue.enqueue(process.world.interactionId);
    await ended;
    await process.stop();
    await expectEnded(process.world);
    expect(process.leases.held()).toEqual([]);
    expect(process.world.reports.map(([level, { message }]) => [level, message])).toEqual([
      ['info', 'Interaction started'],
      ['info', 'Interaction ended COMPLETED'],
    ]);
    expect(await process.world.row()).toMatchObject({ status: 'COMPLETED', epoch: 1 });
  });

  it('runs each interaction as its tenant, whoever has made room for it', async () => {
    const seen: string[] = [];
    const process = await Process.open({
      agent: (ctx) => {
        seen.push(currentTenant());
        return react(ctx);
      },
    });
    const ended = process.ended();
    process.runner.onApplicationBootstrap();
    withinTenant('another', () => process.queue.enqueue(process.world.interactionId));
    await ended;
    await process.stop();
    expect(seen).toEqual([(await process.world.row()).tenant_id]);
  });

  it('runs what it started itself with the lease that it has', async () => {
    const process = await Process.open({ leased: true });
    const ended = process.ended();
    process.runner.onApplicationBootstrap();
    await process.claim();
    await ended;
    await process.stop();
    expect(await process.world.row()).toMatchObject({ status: 'COMPLETED', epoch: 1 });
  });

  it('takes the lease again when what it started had to wait too long', async () => {
    const process = await Process.open({ leased: true });
    const ended = process.ended();
    await process.claim();
    process.clock.pass(TTL);
    process.runner.onApplicationBootstrap();
    await ended;
    await process.stop();
    expect(await process.world.row()).toMatchObject({ status: 'COMPLETED', epoch: 2 });
  });

  it('gives the conversation before it to what it started', async () => {
    const provider = ScriptedProvider.playing(answerTurn('Hi'));
    const process = await Process.open({ provider, leased: true });
    process.runner.onApplicationBootstrap();
    for (const message of ['Hello', 'Again']) {
      if (message === 'Again') await process.world.say(message);
      const ended = process.ended();
      await process.claim();
      await ended;
    }
    await process.stop();
    expect(provider.requests[1]?.messages.map(({ content }) => content)).toEqual([
      ...['Hello', 'Hi', 'Again'],
    ]);
  });

  it('reads nothing of what it started in a new chat', async () => {
    const process = await Process.open({ leased: true });
    const { store } = process.world;
    const reads = [jest.spyOn(store, 'getPreviousState'), jest.spyOn(store, 'findFinalState')];
    process.runner.onApplicationBootstrap();
    const ended = process.ended();
    await process.claim();
    await ended;
    await process.stop();
    for (const read of reads) expect(read).not.toHaveBeenCalled();
  });

  it('reads a log of many pages', async () => {
    const process = await Process.open();
    const { store, interactionId, rootId } = process.world;
    const { interaction } = (await store.acquireLease(interactionId, { owner: 'o', ttl_ms: 0 }))!;
    const [first] = await process.world.log();
    const records = Array.from({ length: 1_200 }, (_, i) => ({
      ...{ ...first!, seq: i + 2, epoch: interaction.epoch, agent_id: rootId },
      body: { type: 'NOTICE', code: 'n', message: String(i) } as const,
      hidden: null,
    }));
    await store.append([{ interaction_id: interactionId, epoch: interaction.epoch, records }]);
    const read = jest.spyOn(store, 'readRecords');
    const ended = process.ended();
    process.runner.onApplicationBootstrap();
    process.queue.enqueue(interactionId);
    await ended;
    await process.stop();
    expect(read.mock.calls.map(([, { after }]) => after)).toEqual([0, 500, 1_000]);
    const log = await process.world.log();
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
    expect(await process.world.all('RESUMED')).toHaveLength(1);
  });

  it('counts the lease from before it was asked for: slow loading makes it stale', async () => {
    const provider = ScriptedProvider.playing(answerTurn('Hi'));
    const process = await Process.open({ provider });
    const gate = process.holdUpLoading();
    process.runner.onApplicationBootstrap();
    process.queue.enqueue(process.world.interactionId);
    await gate.reached;
    process.clock.pass(TTL);
    gate.open();
    await quiet(null);
    await process.stop();
    expect(provider.requests).toEqual([]);
    expect((await process.world.row()).status).toBe('RUNNING');
    expect(await process.isFree()).toBe(true);
  });

  it('says that it was too busy when it has let a lease expire', async () => {
    const answer = new Gate();
    const provider = ScriptedProvider.playing(answerTurn('One'), answerTurn('Two'));
    const agent = async (ctx: AgentContext): Promise<void> => {
      await answer.pass();
      await react(ctx);
    };
    const process = await Process.open({ provider, agent });
    process.runner.onApplicationBootstrap();
    process.queue.enqueue(process.world.interactionId);
    await answer.reached;
    process.clock.pass(TTL); // nothing was renewed meanwhile
    answer.open();
    await quiet(null);
    process.queue.enqueue(process.world.interactionId);
    await process.ended();
    expect(await process.world.all('RESUMED')).toMatchObject([
      { reason: 'the process was too busy to renew its lease' },
    ]);
    await process.stop();
  });

  it('lets go of what it can not read at the moment, and goes on with the rest', async () => {
    const process = await Process.open();
    const { store } = process.world;
    const read = store.readRecords.bind(store);
    store.readRecords = () => Promise.reject(new AppError('unavailable', 'away', 'Away.'));
    process.runner.onApplicationBootstrap();
    process.queue.enqueue(process.world.interactionId);
    await quiet(null);
    expect(process.world.errors).toHaveLength(1);
    expect(await process.isFree()).toBe(true);
    store.readRecords = read;
    const ended = process.ended();
    process.queue.enqueue(process.world.interactionId);
    await ended;
    await process.stop();
    expect((await process.world.row()).status).toBe('COMPLETED');
  });

  it('closes what it has started and can not load at the moment', async () => {
    const process = await Process.open({ leased: true });
    const { bus, store } = process.world;
    const ended = process.ended();
    process.runner.onApplicationBootstrap();
    await process.claim();
    await ended;
    await process.world.say('Again');
    store.findFinalState = () => Promise.reject(new AppError('unavailable', 'away', 'Away.'));
    const calls = [jest.spyOn(bus, 'open'), jest.spyOn(bus, 'close')];
    await process.claim();
    await quiet(null);
    for (const call of calls) expect(call.mock.calls).toEqual([[process.world.interactionId, 1]]);
    await process.stop();
  });

  describe('when an interaction can not go on', () => {
    async function runToEnd(process: Process): Promise<InteractionRow> {
      const ended = process.ended();
      process.runner.onApplicationBootstrap();
      process.queue.enqueue(process.world.interactionId);
      await ended;
      await process.stop();
      return process.world.row();
    }

    /** Runs of it that were lost before they wrote anything. */
    async function loseRuns(process: Process, count: number, trial: number): Promise<void> {
      const { store, interactionId } = process.world;
      for (let n = 0; n < count; n++)
        await store.acquireLease(interactionId, { owner: 'lost', ttl_ms: 0, trial });
    }

    it('fails it when its log makes no sense, and says so', async () => {
      const agent = jest.fn<AgentFunction>();
      const process = await Process.open({ agent });
      const { store, interactionId } = process.world;
      const [first] = await process.world.log();
      store.readRecords = async () => [{ ...first!, body: null as never }];
      const row = await runToEnd(process);
      expect(row).toMatchObject({
        status: 'FAILED',
        error: { code: 'log_unreadable', message: expect.stringMatching(/null/) },
      });
      expect(agent).not.toHaveBeenCalled();
      expect(process.leases.held()).toEqual([]);
      expect((await store.findAddedMessages([interactionId])).get(interactionId)).toEqual([
        { role: 'user', content: 'Hello' },
      ]);
    });

    it.each([
      ['it is not heard that it was taken', 'acquireLease'],
      ['its log can’t be read, nor its lease be let go of', 'readRecords'],
    ] as const)('does not count as lost what it never began because %s', async (_, failing) => {
      const process = await Process.open();
      const { store, interactionId } = process.world;
      const works = store[failing].bind(store) as (...values: unknown[]) => Promise<unknown>;
      const away = (): never => {
        throw new AppError('unavailable', 'store_unavailable', 'away');
      };
      let failures = 0;
      const fails = async (...values: unknown[]): Promise<unknown> => {
        const answer = await works(...values);
        return failures++ < 5 ? away() : answer;
      };
      Object.assign(store, { releaseLease: away, [failing]: fails });
      const ended = process.ended();
      process.runner.onApplicationBootstrap();
      while (failures < 6) {
        process.queue.enqueue(interactionId);
        await quiet(undefined);
        process.clock.pass(TTL + 1);
      }
      await ended;
      await process.stop();
      expect(await process.world.row()).toMatchObject({ status: 'COMPLETED', epoch: 6 });
    });

    it('runs it again however often it was lost beside other suspects', async () => {
      const process = await Process.open();
      await loseRuns(process, 20, 2);
      await loseRuns(process, 4, 1);
      expect((await runToEnd(process)).status).toBe('COMPLETED');
      expect(process.world.reports).toMatchObject([
        [
          'info',
          {
            message: 'Interaction resumed: the process that ran it was lost',
            interaction_id: process.world.interactionId,
            epoch: 25,
          },
        ],
        ['info', { message: 'Interaction ended COMPLETED', epoch: 25 }],
      ]);
    });

    it('gives it up after five losses in a row that it ran alone among suspects', async () => {
      const agent = jest.fn<AgentFunction>();
      const process = await Process.open({ agent });
      await loseRuns(process, 5, 1);
      expect(await runToEnd(process)).toMatchObject({
        status: 'FAILED',
        error: { code: 'crash_loop', message: expect.stringMatching(/5 times/) },
      });
      expect(agent).not.toHaveBeenCalled();
      await expectEnded(process.world);
      expect(await process.world.types()).toEqual([
        ...['INTERACTION_STARTED', 'RESUMED', 'ERROR', 'INTERACTION_COMPLETE'],
      ]);
    });

    it('emits that it took it over, and that its run has ended, whatever became of it', async () => {
      for (const losses of [0, 1, 5]) {
        const process = await Process.open();
        const { telemetry, interactionId: id } = process.world;
        const heard: unknown[] = [];
        telemetry.on('run_taken_over', ({ interaction }) => heard.push(['taken', interaction.id]));
        telemetry.on('run_ended', ({ interaction, epoch }) => heard.push([interaction.id, epoch]));
        await loseRuns(process, losses, 1);
        await runToEnd(process);
        expect(heard).toEqual([...(losses > 0 ? [['taken', id]] : []), [id, losses + 1]]);
      }
    });

    it('does not even read its log when that is what takes the server down', async () => {
      const process = await Process.open();
      await loseRuns(process, 6, 1);
      const read = jest.spyOn(process.world.store, 'readRecords');
      expect(await runToEnd(process)).toMatchObject({ error: { code: 'crash_loop' } });
      expect(read).not.toHaveBeenCalled();
    });
  });

  describe('when an interaction is cancelled', () => {
    async function cancel(process: Process): Promise<void> {
      const { store, bus, interactionId } = process.world;
      await store.requestCancel(interactionId, 'user');
      new RunWaker(bus, process.queue).wake(interactionId);
    }

    it('stops the run at once that it has', async () => {
      const gate = new Gate();
      const process = await Process.open({ agent: waiting(gate) });
      const ended = process.ended();
      process.runner.onApplicationBootstrap();
      process.queue.enqueue(process.world.interactionId);
      await gate.reached;
      await cancel(process);
      await ended;
      await process.stop();
      await expectEnded(process.world);
      expect((await process.world.row()).status).toBe('CANCELLED');
    });

    it('does not miss that while it takes it up', async () => {
      const process = await Process.open({ agent: waiting(new Gate()) });
      const gate = process.holdUpLoading();
      const ended = process.ended();
      process.runner.onApplicationBootstrap();
      process.queue.enqueue(process.world.interactionId);
      await gate.reached;
      await cancel(process);
      gate.open();
      await ended;
      await process.stop();
      expect((await process.world.row()).status).toBe('CANCELLED');
    });

    it('does not miss that while what it started waits', async () => {
      const process = await Process.open({ agent: waiting(new Gate()), leased: true });
      process.runner.onApplicationBootstrap();
      const ended = process.ended();
      await process.claim();
      await cancel(process);
      await ended;
      await process.stop();
      expect((await process.world.row()).status).toBe('CANCELLED');
    });

    it('ends what nobody runs, without calling its agent', async () => {
      const agent = jest.fn<AgentFunction>();
      const process = await Process.open({ agent });
      const ended = process.ended();
      process.runner.onApplicationBootstrap();
      await cancel(process);
      await ended;
      await process.stop();
      await expectEnded(process.world);
      expect(agent).not.toHaveBeenCalled();
    });
  });

  describe('when the server shuts down', () => {
    it('stops what it runs, and lets go of it', async () => {
      const gate = new Gate();
      const process = await Process.open({ agent: waiting(gate) });
      process.runner.onApplicationBootstrap();
      process.queue.enqueue(process.world.interactionId);
      await gate.reached;
      expect(await process.isFree()).toBe(false);
      await process.stop();
      expect(await process.isFree()).toBe(true);
      expect(await process.world.types()).toEqual(['INTERACTION_STARTED']);
    });

    it('asks for what it lets go of to be run, so that others go on at once', async () => {
      const gate = new Gate();
      const process = await Process.open({ agent: waiting(gate) });
      process.runner.onApplicationBootstrap();
      process.queue.enqueue(process.world.interactionId);
      await gate.reached;
      const enqueue = jest.spyOn(process.queue, 'enqueue').mockReturnValue();
      await process.stop();
      expect(enqueue.mock.calls).toEqual([[process.world.interactionId]]);
    });

    it('begins nothing that it is just taking up', async () => {
      const agent = jest.fn<AgentFunction>();
      const process = await Process.open({ agent });
      const gate = process.holdUpLoading();
      process.runner.onApplicationBootstrap();
      process.queue.enqueue(process.world.interactionId);
      await gate.reached;
      const stopped = process.stop();
      gate.open();
      await stopped;
      expect(agent).not.toHaveBeenCalled();
      expect(await process.isFree()).toBe(true);
    });

    it('lets go of what it started and has not begun', async () => {
      const process = await Process.open({ leased: true });
      await process.claim();
      await process.stop();
      expect(await process.isFree()).toBe(true);
    });
  });
});
