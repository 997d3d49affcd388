import { jest } from '@jest/globals';
import { Budgets } from '../../src/runs/limits/budgets.js';
import { Gate } from '../support/gate.js';
import { answerTurn } from '../support/model/model-events.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { quiet } from '../support/quiet.js';
import { MovableClock } from '../support/movable-clock.js';
import type { AgentFunction } from '../support/runs/run-world.js';
import { RunWorld } from '../support/runs/run-world.js';

const HOUR_MS = 3_600_000;

/** Two children at once; the second has done more than the first. */
const two: AgentFunction = async (ctx) => {
  const slow = await ctx.fork('slow', { agent_type: 'thinker' });
  const quick = await ctx.fork('quick', { agent_type: 'thinker' });
  return (await Promise.all([ctx.wait(slow), ctx.wait(quick)])).join(' ');
};
const thinker: AgentFunction = async (ctx) => {
  await ctx.generate();
  await ctx.generate();
  return 'ok';
};

describe(Budgets.name, () => {
  afterEach(() => jest.useRealTimers());

  it('do not count the time between a lost run and the next one, also for a step that the log has passed', async () => {
    const clock = new MovableClock();
    const stuck = new Gate();
    let isStuck = true;
    const provider = new ScriptedProvider(async function* ({ messages }) {
      if (isStuck && messages[0]!.content === 'slow') await stuck.pass();
      yield* answerTurn('Hm.');
    });
    const env = { MAX_WALL_TIME_MS: '60000' };
    const options = { agent: two, kinds: { thinker }, provider, clock, env };
    const world = await RunWorld.open(options);
    const lost = (await world.takeUp({
      append: async (batches) => {
        const outcomes = await world.store.append(batches);
        if (JSON.stringify(batches).includes('AGENT_COMPLETED')) queueMicrotask(() => lost.lose());
        return outcomes;
      },
    }))!;
    await lost.execute();
    expect((await world.all('AGENT_COMPLETED')).map(({ result }) => result)).toEqual(['ok']);

    clock.pass(HOUR_MS);
    isStuck = false;
    await world.run();
    expect(await world.all('TURN_COMPLETED')).toHaveLength(4);
    expect((await world.all('ANSWER')).at(-1)!.content).toBe('ok ok');
  });

  it('do not end a turn by the time in which a child of the agent asked', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date'] });
    const clock = new MovableClock();
    const turn = new Gate();
    const provider = new ScriptedProvider(async function* () {
      await turn.pass();
      yield* answerTurn('Hm.');
    });
    const agent: AgentFunction = async (ctx) => {
      await ctx.fork('', { agent_type: 'asker' });
      await ctx.generate();
    };
    const asker: AgentFunction = async (ctx) => String(await ctx.ask('Well?'));
    const env = { MAX_WALL_TIME_MS: '60000' };
    const world = await RunWorld.open({ agent, kinds: { asker }, provider, clock, env });
    const run = (await world.takeUp())!;
    const over = run.execute();
    await turn.reached;
    await quiet(undefined);
    expect(await world.all('INPUT_REQUIRED')).toHaveLength(1);
    clock.pass(HOUR_MS);
    jest.advanceTimersByTime(60_001);
    turn.open();
    await over;
    expect((await world.row()).status).toBe('COMPLETED');
    expect(await world.all('TURN_COMPLETED')).toMatchObject([{ finish_reason: 'stop' }]);
  });
});
