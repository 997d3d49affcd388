import { jest } from '@jest/globals';
import type { AgentContext } from '../../src/agents/agent-context.js';
import { Agent } from '../../src/agents/agent.js';
import type { Making } from '../../src/agents/agent.js';
import { MAKE_MS, DISPOSE_MS } from '../../src/runs/agent-context/resources.js';
import { Run } from '../../src/runs/run.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { Gate } from '../support/gate.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { aborted, quiet } from '../support/quiet.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { ProcessOptions } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

/** What happened to shops, in order. */
let told: string[];
let made: number;

class Shop {
  readonly n = ++made;
  isOpen = true;

  constructor() {
    told.push(`opened ${this.n}`);
  }

  sell(what: string): string {
    if (!this.isOpen) throw new Error('closed');
    told.push(`${this.n} sells ${what}`);
    return `${what} of ${this.n}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await quiet(undefined, 3);
    this.isOpen = false;
    told.push(`closed ${this.n}`);
  }
}

interface Goods {
  readonly shop: Shop;
}

class Keeper extends Agent<Goods> {
  constructor(private readonly work: (ctx: AgentContext<Goods>) => Promise<string | void>) {
    super();
  }

  override resources(): Goods {
    return { shop: new Shop() };
  }

  run(ctx: AgentContext<Goods>): Promise<string | void> {
    return this.work(ctx);
  }
}

class Made extends Agent {
  constructor(override readonly resources: (making: Making) => Promise<unknown>) {
    super();
  }

  run(ctx: AgentContext): Promise<void> {
    return callOnce(ctx);
  }
}

async function callOnce(ctx: AgentContext): Promise<void> {
  const turn = await ctx.generate();
  await ctx.callTools(turn.tool_calls);
}

function calling(...names: string[]): ScriptedProvider {
  const calls = names.map((name, i) => ({ id: `c${i}`, name, arguments: '{}' }));
  return ScriptedProvider.playing(callTurn(calls), answerTurn('Done'));
}

const buys = new FakeTool('buy', (_, { resources }) => resources.get(Shop).sell('bread'), 'rerun');

async function ended(options: ProcessOptions): Promise<RunWorld> {
  const world = await RunWorld.open();
  await world.run(options);
  await expectEnded(world);
  return world;
}

async function outputs(world: RunWorld): Promise<string[]> {
  return (await world.all('TOOL_RESULT')).map(({ tool_output }) => tool_output);
}

beforeEach(() => {
  told = [];
  made = 0;
});

describe(Run.name, () => {
  it('has resources made for an agent, used by its code and its tools, and disposed of', async () => {
    const agent = new Keeper(async (ctx) => {
      const milk = await ctx.step('milk', () => ctx.resources.shop.sell('milk'));
      await callOnce(ctx);
      return milk;
    });
    const world = await ended({ agent, tools: [buys], provider: calling('buy') });
    expect(await outputs(world)).toEqual(['bread of 1']);
    expect((await world.all('ANSWER')).at(-1)?.content).toBe('milk of 1');
    expect(told).toEqual(['opened 1', '1 sells milk', '1 sells bread', 'closed 1']);
    expect(JSON.stringify(await world.log())).not.toContain('isOpen');
  });

  it('gives a child those of its own kind, or else those of its parent, and closes what is its own first', async () => {
    const agent = new Keeper(async (ctx) => {
      const kinds = ['plain', 'keeper'];
      const children = await Promise.all(
        kinds.map((agent_type) => ctx.fork('Buy.', { agent_type })),
      );
      for (const child of children) await ctx.wait(child);
      await ctx.step('milk', () => ctx.resources.shop.sell('milk'));
    });
    const call = { id: 'c', name: 'buy', arguments: '{}' };
    const world = await ended({
      agent,
      kinds: { plain: callOnce, keeper: new Keeper(callOnce) },
      tools: [buys],
      provider: new ScriptedProvider(() => callTurn([call])),
    });
    expect((await outputs(world)).sort()).toEqual(['bread of 1', 'bread of 2']);
    expect(told.filter((each) => /opened|closed|milk/.test(each))).toEqual([
      'opened 1',
      'opened 2',
      'closed 2',
      '1 sells milk',
      'closed 1',
    ]);
  });

  it('tells a tool that its agent has no such object', async () => {
    const world = await ended({ agent: callOnce, tools: [buys], provider: calling('buy') });
    expect(await outputs(world)).toEqual([expect.stringMatching(/needs a Shop/)]);
  });

  it('disposes of them when the agent fails', async () => {
    const agent = new Keeper(async () => {
      throw new Error('no');
    });
    const world = await ended({ agent });
    expect((await world.row()).status).toBe('FAILED');
    expect(told).toEqual(['opened 1', 'closed 1']);
  });

  it('disposes of them when it is cancelled, after the tool that uses them has stopped, and before that is told (I7)', async () => {
    const gate = new Gate();
    const tool = new FakeTool('serve', async (_, { resources, signal }) => {
      void gate.pass();
      await aborted(signal);
      await quiet(undefined);
      return resources.get(Shop).sell('the rest');
    });
    const world = await RunWorld.open();
    const append: ProcessOptions['append'] = (batches) => {
      if (JSON.stringify(batches).includes('CANCELLED')) told.push('told');
      return world.store.append(batches);
    };
    const [agent, provider] = [new Keeper(callOnce), calling('serve')];
    const options = { agent, provider, tools: [tool], append };
    const run = (await world.takeUp(options))!;
    const done = run.execute();
    await gate.reached;
    run.cancel('user');
    await done;
    expect(told).toEqual(['opened 1', '1 sells the rest', 'closed 1', 'told']);
    await expectEnded(world);
  });

  it.each(['shutDown', 'lose'] as const)(
    'makes them anew in the run that comes after %s',
    async (way) => {
      const world = await RunWorld.open();
      const gate = new Gate();
      const agent = new Keeper(async (ctx) => {
        await ctx.step('first', () => ctx.resources.shop.sell('milk'));
        await ctx.step('second', () => gate.pass());
        return ctx.step('third', () => ctx.resources.shop.sell('bread'));
      });
      const run = (await world.takeUp({ agent }))!;
      const done = run.execute();
      await gate.reached;
      if (way === 'shutDown') void run.shutDown(1_000);
      else run.lose();
      gate.open();
      await done;
      await quiet(undefined);
      expect(told).toEqual(['opened 1', '1 sells milk', 'closed 1']);
      await world.run({ agent });
      await expectEnded(world);
      expect(told.slice(3)).toEqual(['opened 2', '2 sells bread', 'closed 2']);
    },
  );

  it('disposes of them when it is parked (I11)', async () => {
    const world = await RunWorld.open();
    const agent = new Keeper(async (ctx) => `${await ctx.ask('Well?')}`);
    await world.run({ agent, env: { PARK_AFTER_MS: '1' } });
    expect((await world.row()).status).toBe('WAITING_INPUT');
    expect(told).toEqual(['opened 1', 'closed 1']);
  });

  describe('when they can not be made', () => {
    it('says so, and disposes of what was made by then, the latest first', async () => {
      const agent = new Made(async ({ own }) => {
        own(new Shop());
        own({ id: 7 }, ({ id }) => told.push(`ended ${id}`));
        throw new Error('no supplies');
      });
      const world = await ended({ agent });
      expect((await world.row()).error).toEqual({
        code: 'resources_failed',
        message: expect.stringMatching(/"tested" could not be made: no supplies/),
      });
      expect(told).toEqual(['opened 1', 'ended 7', 'closed 1']);
    });

    it('tells the parent of a child', async () => {
      const world = await ended({
        agent: async (ctx) => {
          const child = await ctx.fork('', { agent_type: 'poor' });
          return ctx.wait(child).catch(({ code }: { code: string }) => `${child.state} ${code}`);
        },
        kinds: { poor: new Made(async () => Promise.reject(new Error('no supplies'))) },
      });
      expect((await world.all('ANSWER')).at(-1)?.content).toBe('error resources_failed');
    });

    it('waits for a while only, and disposes of what comes too late', async () => {
      jest.useFakeTimers({
        doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
      });
      try {
        const gate = new Gate();
        let signal: AbortSignal | undefined;
        const agent = new Made(async (making) => {
          signal = making.signal;
          await gate.pass();
          return new Shop();
        });
        const world = await RunWorld.open();
        const done = world.run({ agent });
        await gate.reached;
        jest.advanceTimersByTime(MAKE_MS);
        await done;
        expect(signal?.aborted).toBe(true);
        expect((await world.row()).error).toMatchObject({ code: 'resources_failed' });
        gate.open();
        await quiet(undefined);
        expect(told).toEqual(['opened 1', 'closed 1']);
      } finally {
        jest.useRealTimers();
      }
    });

    it('ends at once when it is cancelled meanwhile', async () => {
      const gate = new Gate();
      const world = await RunWorld.open();
      const agent = new Made(async ({ signal }) => {
        void gate.pass();
        await aborted(signal);
        return new Shop();
      });
      const run = (await world.takeUp({ agent, provider: calling('buy') }))!;
      const done = run.execute();
      await gate.reached;
      run.cancel('user');
      await done;
      expect((await world.row()).status).toBe('CANCELLED');
      expect(await world.all('TURN_COMPLETED')).toEqual([]);
      expect(told).toEqual(['opened 1', 'closed 1']);
    });
  });

  it('warns of what can not be disposed of, and disposes of the rest', async () => {
    const agent = new Made(async ({ own }) => {
      own(new Shop());
      own('door', () => Promise.reject(new Error('stuck')));
    });
    const world = await ended({ agent });
    expect((await world.row()).status).toBe('COMPLETED');
    expect(JSON.stringify(world.warnings)).toContain('stuck');
    expect(told).toEqual(['opened 1', 'closed 1']);
  });

  it('does not wait for ever for what is disposed of', async () => {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
    });
    try {
      const gate = new Gate();
      const agent = new Made(async ({ own }) => {
        own(new Shop());
        own('door', () => gate.pass());
      });
      const world = await RunWorld.open();
      const done = world.run({ agent });
      await gate.reached;
      await jest.advanceTimersByTimeAsync(DISPOSE_MS);
      await done;
      expect((await world.row()).status).toBe('COMPLETED');
      expect(told).toEqual(['opened 1', 'closed 1']);
    } finally {
      jest.useRealTimers();
    }
  });
});
