import { jest } from '@jest/globals';
import type { AgentContext } from '../agents/agent-context.js';
import { ReactAgent } from '../agents/kinds/react/react.agent.js';
import type { AppendBatch, AppendOutcome } from '../persistence/rows/append-rows.js';
import { ModelError } from '../models/model-error.js';
import { expectEnded } from '../../test/support/client/expect-ended.js';
import { FakeTool } from '../../test/support/tools/fake-tool.js';
import { Gate } from '../../test/support/gate.js';
import { answerTurn, callTurn, textDelta } from '../../test/support/model/model-events.js';
import { aborted, quiet } from '../../test/support/quiet.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import type { AgentFunction, ProcessOptions } from '../../test/support/runs/run-world.js';
import { ScriptedProvider } from '../../test/support/model/scripted-provider.js';
import { Run } from './run.js';

const CALLS = [
  { id: 'c1', name: 'once', arguments: '{}' },
  { id: 'c2', name: 'again', arguments: '{}' },
];
const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

/** A provider, tools and an agent that use every kind of effect. */
function everything(): ProcessOptions {
  return {
    provider: ScriptedProvider.playing(callTurn(CALLS, 'Look'), answerTurn('Done')),
    tools: [
      new FakeTool('once', () => 'one'),
      new FakeTool('again', (_, { output }) => (output('…'), 'two'), 'rerun'),
    ],
    agent: async (ctx) => {
      await ctx.step('first', () => 1);
      await Promise.all([react(ctx), ctx.say('Working'), ctx.notice('busy', 'A lot to do')]);
    },
  };
}

/** Passes `count` appends on, and then does `otherwise`. */
function after(
  world: RunWorld,
  count: number,
  otherwise: (batches: readonly AppendBatch[]) => Promise<AppendOutcome[]>,
): NonNullable<ProcessOptions['append']> {
  let left = count;
  return async (batches) => (left-- > 0 ? world.store.append(batches) : otherwise(batches));
}

/** Has lost its lease after `count` appends. */
function fencedAfter(world: RunWorld, count: number): NonNullable<ProcessOptions['append']> {
  return after(world, count, async (batches) => batches.map(() => 'fenced'));
}

/** The lines of the log about a run that was stopped in a step. */
async function linesAfter(stop: (run: Run) => void): Promise<unknown[]> {
  const entered = new Gate();
  const agent: AgentFunction = async (ctx) => {
    await ctx.step('slow', () => (entered.open(), aborted(ctx.signal)));
  };
  const world = await RunWorld.open({ agent });
  const run = await world.takeUp();
  const executed = run!.execute();
  await entered.pass();
  stop(run!);
  await executed;
  return world.reports.slice(1).map(([, { message }]) => message);
}

const MOMENTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

describe(Run.name, () => {
  it('says in the log whether it was given up in an outage, or maybe taken over', async () => {
    expect(await linesAfter((run) => run.cutOff())).toEqual([
      expect.stringMatching(/^Run stopped: The database was unavailable.* was given up/),
    ]);
    expect(await linesAfter((run) => run.lose())).toEqual([
      'Run stopped: Lease expired or taken over by another run',
    ]);
  });

  describe('when it has lost its interaction', () => {
    it.each(MOMENTS)('writes and shows nothing more after %i appends (I6)', async (count) => {
      const world = await RunWorld.open();
      let shown = -1;
      const append = after(world, count, async (batches) => {
        if (shown < 0) shown = world.frames.length;
        return batches.map(() => 'fenced');
      });
      await world.run({ ...everything(), append });
      if (shown < 0) return expectEnded(world);
      expect(world.frames.slice(shown).flatMap(({ items }) => items)).toEqual([]);
      expect((await world.row()).status).toBe('RUNNING');
      expect(world.errors).toEqual([]);
      expect(world.warnings).toHaveLength(1);
      await world.run(everything());
      await expectEnded(world);
      expect((await world.row()).status).toBe('COMPLETED');
    });

    it.each(MOMENTS)(
      'stops when the store is away after %i appends, and goes on later',
      async (n) => {
        const world = await RunWorld.open();
        let isAway = false;
        const append = after(world, n, async () => {
          isAway = true;
          throw new Error('connection refused');
        });
        await world.run({ ...everything(), append });
        if (!isAway) return expectEnded(world);
        expect((await world.row()).status).toBe('RUNNING');
        expect(world.errors).toEqual([]);
        await world.run(everything());
        await expectEnded(world);
        expect((await world.row()).status).toBe('COMPLETED');
      },
    );

    it('says nothing more once its lease is stale, and starts nothing', async () => {
      let isFresh = true;
      const seen = new Gate();
      const provider = new ScriptedProvider(async function* (_, signal) {
        yield textDelta('Seen');
        await quiet(null);
        isFresh = false;
        yield textDelta(' and not seen');
        void seen.pass();
        await Promise.race([quiet(null, 500), aborted(signal)]);
        yield* answerTurn('');
      });
      const world = await RunWorld.open({ agent: react, provider });
      await world.run({ holdsLease: () => isFresh });
      await seen.reached;
      expect(JSON.stringify(world.frames)).not.toContain('not seen');
      expect(await world.types()).toEqual(['INTERACTION_STARTED']);
    });

    const begun: string[] = [];
    const uses: [string, (ctx: AgentContext) => Promise<unknown>][] = [
      ['a turn', (ctx) => ctx.generate()],
      ['a step', (ctx) => ctx.step('s', () => begun.push('s'))],
      ['a message', (ctx) => ctx.say('s')],
    ];
    it.each(uses)('does not begin %s once its lease is stale', async (_, use) => {
      let isFresh = true;
      const provider = ScriptedProvider.playing(answerTurn('Hi'));
      const agent: AgentFunction = async (ctx) => {
        isFresh = false;
        await use(ctx);
      };
      const world = await RunWorld.open({ agent, provider });
      await world.run({ holdsLease: () => isFresh });
      expect(provider.requests).toEqual([]);
      expect(begun).toEqual([]);
      expect(await world.types()).toEqual(['INTERACTION_STARTED']);
    });

    it('does not ask a model again whose lease went stale while it waited', async () => {
      jest.spyOn(Math, 'random').mockReturnValue(1); // the shortest backoff
      let isFresh = true;
      const provider = new ScriptedProvider(() => {
        throw new ModelError('model_overloaded', 'It is busy.', { retryable: true });
      });
      const world = await RunWorld.open({ agent: react, provider });
      world.bus.frames(world.interactionId).subscribe(() => (isFresh = false));
      await world.run({ holdsLease: () => isFresh });
      jest.restoreAllMocks();
      expect(provider.requests).toHaveLength(1);
      expect(await world.types()).toEqual(['INTERACTION_STARTED', 'NOTICE']);
    });

    it('does not begin a tool whose lease went stale while its start was recorded (I4)', async () => {
      let isFresh = true;
      const effects: string[] = [];
      const world = await RunWorld.open({ agent: react });
      const options = everything();
      await world.run({
        ...options,
        agent: react,
        tools: ['once', 'again'].map((name) => new FakeTool(name, () => `${effects.push(name)}`)),
        holdsLease: () => isFresh,
        append: async (batches) => {
          const outcomes = await world.store.append(batches);
          if (JSON.stringify(batches).includes('TOOL_STARTED')) isFresh = false;
          return outcomes;
        },
      });
      expect(effects).toEqual([]);
    });

    it('does not begin a tool whose lease went stale while its start was told (I4, I6)', async () => {
      let isFresh = true;
      const effects: string[] = [];
      const world = await RunWorld.open({ agent: react });
      world.bus.frames(world.interactionId).subscribe(({ items }) => {
        if (JSON.stringify(items).includes('TOOL_STARTED')) isFresh = false;
      });
      await world.run({
        ...everything(),
        agent: react,
        tools: ['once', 'again'].map((name) => new FakeTool(name, () => `${effects.push(name)}`)),
        holdsLease: () => isFresh,
      });
      expect(isFresh).toBe(false);
      expect(effects).toEqual([]);
    });

    it('stops at once when it is told', async () => {
      const gate = new Gate();
      const provider = new ScriptedProvider(async function* (_, signal) {
        yield textDelta('Seen');
        await quiet(null);
        await Promise.race([gate.pass(), aborted(signal)]);
      });
      const world = await RunWorld.open({ agent: react, provider });
      const run = (await world.takeUp())!;
      const done = run.execute();
      await gate.reached;
      const shown = world.frames.length;
      run.lose();
      await done;
      await quiet(null);
      expect(world.frames).toHaveLength(shown);
      expect(await world.types()).toEqual(['INTERACTION_STARTED']);
    });

    it('is silent although it was just being cancelled', async () => {
      const working = new Gate();
      const world = await RunWorld.open();
      const run = (await world.takeUp({
        agent: (ctx) => ctx.step('slow', () => working.pass()),
      }))!;
      const done = run.execute();
      await working.reached;
      run.cancel('user');
      run.lose();
      working.open();
      await done;
      expect(await world.types()).toEqual(['INTERACTION_STARTED']);
    });
  });

  describe('when it is told to shut down', () => {
    it('writes no end, and the next run goes on where it was', async () => {
      const world = await RunWorld.open({ agent: react });
      const gate = new Gate();
      const tools = [
        new FakeTool('once', async (_, { signal }) => {
          await Promise.race([gate.pass(), aborted(signal)]);
          return 'stopped';
        }),
        new FakeTool('again', () => 'two', 'rerun'),
      ];
      const run = (await world.takeUp({ ...everything(), agent: react, tools }))!;
      const done = run.execute();
      await gate.reached;
      await quiet(null);
      void run.shutDown(1_000);
      await done;
      expect((await world.row()).status).toBe('RUNNING');
      const provider = ScriptedProvider.playing(answerTurn('Done'));
      await world.run({ ...everything(), agent: react, provider });
      await expectEnded(world);
      expect(await world.all('RESUMED')).toMatchObject([{ attempt: 1, reason: 'lost' }]);
      const once = (await world.all('TOOL_RESULT')).find(({ id }) => id === 'c1');
      expect(once?.tool_output).toMatch(/server was stopped while this tool ran.*\nstopped$/s);
      expect(once?.is_error).toBe(true);
      expect(provider.requests).toHaveLength(1);
    });

    it('says of a tool that does not stop in time that it was killed, once', async () => {
      const world = await RunWorld.open({ agent: react });
      const [gate, late] = [new Gate(), new Gate()];
      const tools = [
        new FakeTool('once', async () => (await gate.pass(), 'late')),
        new FakeTool('again', async () => (await late.pass(), 'late'), 'rerun'),
      ];
      const append: ProcessOptions['append'] = async (batches) => {
        const isResult = batches[0]!.records.some(({ body }) => body.type === 'TOOL_RESULT');
        if (!isResult) return world.store.append(batches);
        gate.open(); // the tool ends while it is being told that it did not
        late.open();
        await quiet(null);
        return world.store.append(batches);
      };
      const run = (await world.takeUp({ ...everything(), agent: react, tools, append }))!;
      const done = run.execute();
      await Promise.all([gate.reached, late.reached]);
      await run.shutDown(1);
      await done;
      await quiet(null, 100);
      expect(await world.all('TOOL_RESULT')).toMatchObject([
        { id: 'c1', tool_output: expect.stringMatching(/killed with it/), is_error: true },
      ]);
      const provider = ScriptedProvider.playing(answerTurn('Done'));
      await world.run({ ...everything(), agent: react, provider });
      await expectEnded(world);
      const again = (await world.all('TOOL_RESULT')).find(({ id }) => id === 'c2');
      expect(again).toMatchObject({ tool_output: 'two', is_error: false });
    });
  });

  describe('when it may be what takes the server down', () => {
    const takeTurn = async (world: RunWorld): Promise<void> => {
      const run = (await world.takeUp({ losses: 2 }))!;
      void run.execute();
      await quiet(null);
      jest.advanceTimersByTime(5_000);
      await quiet(null);
      run.lose();
    };
    beforeEach(() => {
      jest.useFakeTimers({
        doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
      });
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('tells that it is slow, but not for ever', async () => {
      const world = await RunWorld.open({ agent: (ctx) => aborted(ctx.signal) });
      for (let run = 0; run < 5; run++) await takeTurn(world);
      expect(await world.types()).toEqual([
        ...['INTERACTION_STARTED', 'NOTICE', 'RESUMED', 'NOTICE', 'RESUMED', 'NOTICE'],
        ...['RESUMED', 'RESUMED'],
      ]);
    });
  });

  describe('when it is taken up again', () => {
    it('counts how often, and answers what is known without doing it again', async () => {
      const world = await RunWorld.open();
      let steps = 0;
      const agent: AgentFunction = async (ctx) => {
        await ctx.step('one', () => ++steps);
        await ctx.say('two');
        return `${await ctx.step('three', () => ++steps)}`;
      };
      for (const count of [1, 2]) await world.run({ agent, append: fencedAfter(world, count) });
      await world.run({ agent });
      await expectEnded(world);
      expect((await world.all('RESUMED')).map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect(await world.all('MESSAGE')).toHaveLength(1);
      expect(await world.all('ANSWER')).toMatchObject([{ content: String(steps) }]);
    });

    const first: AgentFunction = async (ctx) => {
      await ctx.step('one', () => 1);
      await ctx.step('two', () => 2);
      await ctx.say('three');
    };
    const CAUSES =
      'Either the code has changed since this interaction began, or it is not deterministic: time, random numbers and I/O belong into ctx.step (docs/agents.md#determinism-and-replay).';
    const changes: [string, AgentFunction, string][] = [
      [
        'another kind of step',
        async (ctx) => void (await ctx.generate()),
        'at step main/1 the log has the step "one", and the code now asks for a model turn',
      ],
      [
        'another name',
        async (ctx) => void (await ctx.step('uno', () => 1)),
        'at step main/1 the log has the step "one", and the code now asks for the step "uno"',
      ],
      [
        'fewer steps',
        async (ctx) => void (await ctx.step('one', () => 1)),
        'at step main/2 the log has the step "two", and the code now asks for nothing there',
      ],
      ['no steps', async () => 'Done', 'at step main/1 the log has the step "one"'],
    ];
    it.each(changes)('names the step where the code asks for %s', async (_, second, message) => {
      const world = await RunWorld.open();
      await world.run({ agent: first, append: fencedAfter(world, 3) });
      await world.run({ agent: second });
      await expectEnded(world);
      const { status, error } = await world.row();
      expect([status, error?.code]).toEqual(['FAILED', 'journal_mismatch']);
      expect(error?.message).toContain(message);
      expect(error?.message).toContain(CAUSES);
      // the log of the server has all of it
      expect(world.reports.at(-1)![1]).toMatchObject({
        message: 'Interaction failed (journal_mismatch)',
        cause: error?.message,
      });
    });

    it('does not let an agent catch that its code has changed', async () => {
      const world = await RunWorld.open();
      await world.run({ agent: first, append: fencedAfter(world, 3) });
      await world.run({
        agent: async (ctx) => {
          await ctx.generate().catch(() => {});
          return 'All is well';
        },
      });
      await expectEnded(world);
      expect((await world.row()).error?.code).toBe('journal_mismatch');
    });

    it('reads on an old conversation that ends with what the lost run did not deliver', async () => {
      const world = await RunWorld.open();
      await world.run({ agent: react, append: fencedAfter(world, 1) });
      await world.store.requestCancel(world.interactionId, 'user');
      await world.run({ agent: react });
      await expectEnded(world);
      expect(await world.messages()).toEqual([
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
      ]);
      expect(await world.all('ANSWER')).toHaveLength(1);
    });
  });
});
