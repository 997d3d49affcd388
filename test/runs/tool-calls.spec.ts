import type { AgentContext } from '../../src/agents/agent-context.js';
import { ToolEffect } from '../../src/runs/tool-call/tool.effect.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import type { Settlement } from '../../src/persistence/rows/request-rows.js';
import type { Run } from '../../src/runs/run.js';
import type { Delta, RecordOf } from '../../src/protocol/events.js';
import type { ToolRecovery } from '../../src/tools/core/tool.js';
import { askedIn } from '../support/runs/asked-in.js';
import { AskingJudge } from '../support/runs/asking-judge.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { eventually } from '../support/eventually.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const APPROVED: Settlement = {
  kind: 'approval',
  approved: true,
  by: { kind: 'user', user_id: 'ann' },
};
const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

function calling(args = '{}', name = 'tool'): ScriptedProvider {
  const turn = callTurn([{ id: 'c1', name, arguments: args }]);
  return ScriptedProvider.playing(turn, answerTurn('Done'));
}

async function resultOf(tool: FakeTool, provider = calling()): Promise<RecordOf<'TOOL_RESULT'>> {
  const world = await RunWorld.open({ agent: react, tools: [tool], provider });
  await world.run();
  await expectEnded(world);
  expect((await world.row()).status).toBe('COMPLETED');
  return (await world.all('TOOL_RESULT'))[0]!;
}

/** A run that is lost in the middle of the tool's work, and what the next run makes of it. */
async function lostInside(recovery: ToolRecovery): Promise<{ world: RunWorld; begun: number }> {
  let begun = 0;
  const world = await RunWorld.open({ agent: react, provider: calling() });
  const lost: Run = (await world.takeUp({
    tools: [new FakeTool('tool', () => (begun++, lost.lose(), 'never heard'), recovery)],
  }))!;
  await lost.execute();
  const again = new FakeTool('tool', () => `${++begun}`, recovery);
  await world.run({ tools: [again], provider: ScriptedProvider.playing(answerTurn('Done')) });
  await expectEnded(world);
  return { world, begun };
}

describe(ToolEffect.name, () => {
  it.each(['report', 'rerun'] as const)(
    'has its start in the log before the effect begins (I4): %s',
    async (recovery) => {
      let world: RunWorld | undefined;
      let before: string[] = [];
      const work = async (): Promise<string> => {
        before = await world!.types();
        return 'ok';
      };
      const tool = new FakeTool('tool', work, recovery, { read_only: false });
      world = await RunWorld.open({ agent: react, tools: [tool], provider: calling() });
      await world.run();
      expect(before.at(-1)).toBe('TOOL_STARTED');
      await expectEnded(world);
    },
  );

  it('does not begin in a run that has lost the interaction and does not know it, however harmless it were to begin again (I6, I7)', async () => {
    let begun = 0;
    const tool = new FakeTool('tool', () => String(++begun), 'rerun', { read_only: false });
    const world = await RunWorld.open({ agent: react, tools: [tool], provider: calling() });
    const lost = await world.takeUp({
      append: (batches) =>
        JSON.stringify(batches).includes('TOOL_STARTED')
          ? Promise.resolve(batches.map(() => 'fenced'))
          : world.store.append(batches),
    });
    await lost!.execute();
    expect(begun).toBe(0);
    await world.run();
    expect(begun).toBe(1);
    await expectEnded(world);
  });

  it('is not done again when its outcome is unknown, and says so (I4)', async () => {
    const { world, begun } = await lostInside('report');
    expect(begun).toBe(1);
    expect(await world.all('TOOL_STARTED')).toHaveLength(1);
    expect(await world.all('TOOL_RESULT')).toMatchObject([
      { is_error: true, tool_output: expect.stringContaining('It is unknown whether its effect') },
    ]);
  });

  it.each(['rerun', 'replay'] as const)(
    'is done again where that does no harm: %s',
    async (recovery) => {
      const { world, begun } = await lostInside(recovery);
      expect(begun).toBe(2);
      expect(await world.all('TOOL_STARTED')).toHaveLength(1);
      expect(await world.all('TOOL_RESULT')).toMatchObject([{ is_error: false, tool_output: '2' }]);
    },
  );

  it.each(['rerun', 'replay'] as const)(
    'is done again as it was approved, not as the model wrote it (I5): %s',
    async (recovery) => {
      const inputs: unknown[] = [];
      const working = (during = (): void => {}) =>
        new FakeTool('tool', (input) => (inputs.push(input), during(), 'ok'), recovery);
      const judge = new AskingJudge();
      const world = await RunWorld.open({ agent: react, provider: calling('{"n":1}'), judge });
      const lost: Run = (await world.takeUp({ tools: [working(() => lost.lose())] }))!;
      const over = lost.execute();
      const { approval_id: request_id } = await askedIn(world);
      const settlement = { ...APPROVED, modified_input: { n: 2 } };
      await world.store.settleRequest({ request_id, settlement, at: new Date().toISOString() });
      await lost.signals.wake();
      await over;
      const provider = ScriptedProvider.playing(answerTurn('Done'));
      await world.run({ tools: [working()], provider });
      await expectEnded(world);
      expect(inputs).toEqual([{ n: 2 }, { n: 2 }]);
      expect(await world.all('APPROVED')).toHaveLength(1);
    },
  );

  it('does not begin with arguments that the tool does not take', async () => {
    const tool = new FakeTool('tool', () => 'ok');
    const world = await RunWorld.open({ agent: react, tools: [tool], provider: calling('{"a') });
    await world.run();
    await expectEnded(world);
    expect(await world.all('TOOL_STARTED')).toEqual([]);
    expect((await world.all('TOOL_RESULT'))[0]?.tool_output).toContain('valid JSON');
  });

  it('tells the model of a tool that is not there', async () => {
    const result = await resultOf(new FakeTool('tool', () => 'ok'), calling('{}', 'toll'));
    expect(result).toMatchObject({ is_error: true, tool_name: 'toll' });
    expect(result.tool_output).toContain('Did you mean tool?');
  });

  it('makes a result of what a tool throws', async () => {
    const tool = new FakeTool('tool', () => {
      throw new Error('Oops');
    });
    expect(await resultOf(tool)).toMatchObject({
      is_error: true,
      tool_output: 'The tool failed: Oops',
    });
  });

  it('says that an output was cut', async () => {
    const result = await resultOf(new FakeTool('tool', () => 'x'.repeat(40_000)));
    expect(result.truncated).toBe(true);
    expect(result.tool_output.length).toBeLessThan(31_000);
  });

  it('shows output while the tool runs, up to a bound', async () => {
    const tool = new FakeTool('tool', (_, { output }) => {
      for (let i = 0; i < 30; i++) output('x'.repeat(10_000));
      return 'ok';
    });
    const world = await RunWorld.open({ agent: react, tools: [tool], provider: calling() });
    await world.run();
    const items = world.frames.flatMap(({ items }) => items);
    const deltas = items.flatMap((item): Delta[] => (item.kind === 'delta' ? [item.delta] : []));
    const shown = deltas.filter(({ type }) => type === 'TOOL_OUTPUT_DELTA');
    expect(shown.map(({ delta }) => delta).join('')).toHaveLength(100_000);
    const [result] = await world.all('TOOL_RESULT');
    expect(new Set(shown.map(({ block_id }) => block_id))).toEqual(new Set([result?.block_id]));
    expect(new Set(shown.map(({ tool_call_id }) => tool_call_id))).toEqual(new Set(['c1']));
  });

  it('answers arguments that nobody can walk through', async () => {
    const args = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const result = await resultOf(new FakeTool('tool', () => 'ran'), calling(args));
    expect(result).toMatchObject({
      is_error: true,
      tool_output: expect.stringMatching(/more than 100 levels/),
    });
  });

  it('shows whoever decides what the text of an action hides', async () => {
    const tool = new FakeTool('tool', () => 'ran');
    tool.summarize = () => 'Run: rm x \u202E# harmless\rls';
    const judge = new AskingJudge();
    const world = await RunWorld.open({ agent: react, tools: [tool], provider: calling(), judge });
    const run = (await world.takeUp())!;
    const going = run.execute();
    const { action } = await askedIn(world);
    expect(action).toBe('Run: rm x \\u{202e}# harmless\\u{d}ls');
    run.lose();
    await going;
  });

  it('shows whoever answers what a question hides', async () => {
    const world = await RunWorld.open({
      agent: async (ctx) =>
        void (await ctx.ask('Safe?\n\u202Eyes\u001B[2K', { options: ['a\u00A0b'] })),
      provider: calling(),
    });
    const run = (await world.takeUp())!;
    const going = run.execute();
    await eventually(async () => (await world.types()).includes('INPUT_REQUIRED'));
    const [asked] = await world.all('INPUT_REQUIRED');
    expect([asked?.question, asked?.options]).toEqual([
      'Safe?\n\\u{202e}yes\\u{1b}[2K',
      ['a\\u{a0}b'],
    ]);
    run.lose();
    await going;
  });
});
