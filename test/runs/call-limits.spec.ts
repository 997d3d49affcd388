import type { AgentContext } from '../../src/agents/agent-context.js';
import { CallLimits } from '../../src/runs/limits/call-limits.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import type { ApprovalMode } from '../../src/protocol/chat-settings.js';
import { askedIn } from '../support/runs/asked-in.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { FakeClock } from '../support/fake-clock.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { ProcessOptions } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const tool = (work: () => string = () => 'ok', recovery: 'report' | 'rerun' = 'report') =>
  new FakeTool('tool', work, recovery);

/** A turn with so many calls, each with an input of its own unless told otherwise. */
let calls = 0;
const turn = (count: number, args?: string) =>
  callTurn(
    Array.from({ length: count }, () => {
      const id = `c${++calls}`;
      return { id, name: 'tool', arguments: args ?? JSON.stringify({ id }) };
    }),
  );
const playing = (...turns: ReturnType<typeof callTurn>[]) =>
  ScriptedProvider.playing(...turns, answerTurn('Done'));

/** Whether each call has run, in order, in an interaction that ended well. */
async function ran(world: RunWorld): Promise<boolean[]> {
  expect((await world.row()).status).toBe('COMPLETED');
  const order = (await world.all('TOOL_CALL')).map(({ id }) => id);
  const results = new Map((await world.all('TOOL_RESULT')).map((result) => [result.id, result]));
  return order.map((id) => !results.get(id)!.is_error);
}

async function refusals(world: RunWorld): Promise<string[]> {
  const results = await world.all('TOOL_RESULT');
  return results.flatMap(({ is_error, tool_output }) => (is_error ? [tool_output] : []));
}

/** The run is lost as soon as a record of this type would be written. */
async function loseBefore(world: RunWorld, type: string, options: ProcessOptions): Promise<void> {
  const run = (await world.takeUp({
    ...options,
    append: async (batches) => {
      const isIt = batches.some(({ records }) => records.some(({ body }) => body.type === type));
      if (!isIt) return world.store.append(batches);
      run.lose();
      return batches.map(() => 'fenced' as const);
    },
  }))!;
  await run.execute();
}

describe(CallLimits.name, () => {
  it('lets an interaction make so many calls; the model is told of those beyond', async () => {
    const env = { MAX_TOOL_CALLS: '3' };
    const world = await RunWorld.open({ agent: react, tools: [tool()], env });
    await world.run({ provider: playing(turn(2), turn(2)) });
    await expectEnded(world);
    expect(await ran(world)).toEqual([true, true, true, false]);
    expect(await refusals(world)).toEqual([expect.stringContaining('no more than 3')]);
    expect(await world.all('TOOL_STARTED')).toHaveLength(3);
  });

  it.each(['TOOL_STARTED', 'TOOL_RESULT'])(
    'refuses the same calls after a run was lost before %s',
    async (type) => {
      const options = { tools: [tool(undefined, 'rerun')], env: { MAX_TOOL_CALLS: '3' } };
      const world = await RunWorld.open({ agent: react, ...options });
      const second = turn(3);
      await loseBefore(world, type, { ...options, provider: playing(turn(2), second) });
      await world.run({ ...options, provider: playing(second) });
      await expectEnded(world);
      expect(await ran(world)).toEqual([true, true, true, false, false]);
    },
  );

  it('lets calls go on that an earlier run let begin, whatever the limit is by now', async () => {
    const world = await RunWorld.open({ agent: react });
    await loseInThirdCall(world, playing(turn(3)));
    const tools = [tool(undefined, 'rerun')];
    await world.run({ tools, env: { MAX_TOOL_CALLS: '1' }, provider: playing() });
    expect(await ran(world)).toEqual([true, true, true]);
  });

  it('counts the calls of a minute over all interactions of a chat', async () => {
    const clock = new FakeClock();
    const env = { TOOL_CALLS_PER_MINUTE: '3' };
    const world = await RunWorld.open({ agent: react, tools: [tool()], env, clock });
    await world.run({ provider: playing(turn(2)) });
    clock.pass(30_000);
    await world.say('More');
    await world.run({ provider: playing(turn(2)) });
    expect(await ran(world)).toEqual([true, false]);
    expect(await refusals(world)).toEqual([expect.stringContaining('3 tool calls')]);
    clock.pass(30_000);
    await world.say('And more');
    await world.run({ provider: playing(turn(3)) });
    expect(await ran(world)).toEqual([true, true, false]);
  });

  it('counts nothing where 0 says so', async () => {
    const env = { MAX_TOOL_CALLS: '0', TOOL_CALLS_PER_MINUTE: '0' };
    const world = await RunWorld.open({ agent: react, tools: [tool()], env });
    await world.run({ provider: playing(turn(60)) });
    expect(await ran(world)).not.toContain(false);
  });
});

describe('Calls that look like a loop', () => {
  const open = (approval_mode: ApprovalMode = 'ask') =>
    RunWorld.open({ agent: react, tools: [tool()], approval_mode });
  const same = () => turn(1, '{"a":1}');

  it('are asked about from the third on, and not again after a loss', async () => {
    const world = await open();
    const waiting = (await world.takeUp({ provider: playing(same(), same(), same()) }))!;
    const run = waiting.execute();
    const asked = await askedIn(world);
    waiting.lose();
    await run;
    const again = (await world.takeUp({ provider: playing() }))!;
    const going = again.execute();
    await world.store.settleRequest({
      request_id: asked.approval_id,
      settlement: { kind: 'approval', approved: true, by: { kind: 'user', user_id: 'ann' } },
      at: new Date().toISOString(),
    });
    await again.signals.wake();
    await going;
    await expectEnded(world);
    expect(await ran(world)).toEqual([true, true, true]);
    const all = await world.all('APPROVAL_REQUIRED');
    expect(all).toHaveLength(1);
    expect(all[0]?.reason).toContain('3 times in a row');
  });

  it('go on with a notice where nobody is asked, told once whatever is lost', async () => {
    const world = await open('auto');
    await loseInThirdCall(world, playing(same(), same(), same()));
    expect(await world.all('TOOL_RESULT')).toHaveLength(2);
    await world.run({ tools: [tool(undefined, 'rerun')], provider: playing() });
    await expectEnded(world);
    expect(await ran(world)).toEqual([true, true, true]);
    const notices = await world.all('NOTICE');
    expect(notices).toMatchObject([{ code: 'repeated_call' }]);
  });

  it('are refused where nothing is approved', async () => {
    const world = await open('deny');
    await world.run({ provider: playing(turn(3, '{}'), turn(1)) });
    await expectEnded(world);
    expect(await ran(world)).toEqual([true, true, false, true]);
    expect(await refusals(world)).toEqual([expect.stringContaining('nothing new')]);
  });
});

/** The run is lost when three calls have begun, of which the last one ends only then. */
async function loseInThirdCall(world: RunWorld, provider: ScriptedProvider): Promise<void> {
  let begun = 0;
  const work: ConstructorParameters<typeof FakeTool>[1] = (_, { signal }) =>
    ++begun < 3 ? 'ok' : untilAborted(signal);
  const run = (await world.takeUp({
    tools: [new FakeTool('tool', work, 'rerun')],
    provider,
    append: async (batches) => {
      const outcomes = await world.store.append(batches);
      if ((await world.all('TOOL_STARTED')).length === 3) run.lose();
      return outcomes;
    },
  }))!;
  await run.execute();
  expect(await world.all('TOOL_STARTED')).toHaveLength(3);
}

function untilAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('Stopped.')));
}
