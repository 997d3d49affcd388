import type { AgentContext } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import type { AppendBatch } from '../../src/persistence/rows/append-rows.js';
import type { RecordType } from '../../src/protocol/events.js';
import { AgentTool } from '../../src/tools/agent/agent.tool.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { AgentFunction, ProcessOptions, RunWorldOptions } from '../support/runs/run-world.js';

const kinds = { react: async () => 'ok' };

/** Starts agents, one after the other, for as long as it is let. */
const forksForEver: AgentFunction = async (ctx) => {
  for (;;) await ctx.wait(await ctx.fork('Go'));
};

/** The same, whatever it is told. */
const insists: AgentFunction = async (ctx) => {
  for (;;) await forksForEver(ctx).catch(() => {});
};

const EFFECTS: readonly [string, (ctx: AgentContext) => Promise<unknown>][] = [
  ['says something', (ctx) => ctx.say('Hi')],
  ['takes a step', (ctx) => ctx.step('one', () => 1)],
  ['asks a model', (ctx) => ctx.generate()],
];

async function ran(options: RunWorldOptions): Promise<RunWorld> {
  const world = await RunWorld.open({ kinds, ...options });
  await world.run();
  await expectEnded(world);
  return world;
}

/** Runs it, and loses the run in place of its nth append with a record of this type. */
async function loseAt(world: RunWorld, type: RecordType, nth: number): Promise<void> {
  let left = nth;
  const has = ({ records }: AppendBatch) => records.some(({ body }) => body.type === type);
  const append: NonNullable<ProcessOptions['append']> = async (batches) =>
    batches.some(has) && --left <= 0
      ? batches.map(() => 'fenced' as const)
      : world.store.append(batches);
  await world.run({ append });
}

async function countOf(world: RunWorld, type: RecordType): Promise<number> {
  return (await world.types()).filter((each) => each === type).length;
}

function settled(forks: readonly Promise<unknown>[]): Promise<string> {
  return Promise.allSettled(forks).then((all) =>
    all.map(({ status }) => (status === 'fulfilled' ? 'y' : 'n')).join(''),
  );
}

describe('The bounds of an interaction', () => {
  it('end what starts agents for ever, without being told to', async () => {
    const world = await ran({ agent: forksForEver });
    expect(await world.row()).toMatchObject({
      status: 'FAILED',
      error: { code: 'too_many_agents', message: expect.stringContaining('No more than 200') },
    });
    expect(await countOf(world, 'AGENT_STARTED')).toBe(200);
  });

  it('count the agents that are started at once', async () => {
    const env = { MAX_AGENTS: '100', MAX_AGENTS_TOTAL: '5' };
    const agent = (ctx: AgentContext) => settled(Array.from({ length: 8 }, () => ctx.fork('Go')));
    const world = await ran({ agent, env });
    expect(await world.all('ANSWER')).toMatchObject([{ content: 'yyyyynnn' }]);
  });

  it.each([1, 2, 3, 4, 5])('count the agents of earlier runs, lost at the fork %i', async (nth) => {
    const env = { MAX_AGENTS_TOTAL: '4' };
    const world = await RunWorld.open({ agent: forksForEver, kinds, env });
    await loseAt(world, nth < 5 ? 'AGENT_STARTED' : 'NOTICE', nth < 5 ? nth : 1);
    expect((await world.row()).status).toBe('RUNNING');
    await world.run();
    await expectEnded(world);
    expect(await world.row()).toMatchObject({ error: { code: 'too_many_agents' } });
    expect(await countOf(world, 'AGENT_STARTED')).toBe(4);
  });

  it('end what takes no refusal, when its log is full, in each run', async () => {
    const env = { MAX_RECORDS: '100', MAX_AGENTS_TOTAL: '4' };
    const world = await RunWorld.open({ agent: insists, kinds, env });
    await loseAt(world, 'INTERACTION_COMPLETE', 1);
    expect(await world.log()).toHaveLength(100);
    await world.run();
    await expectEnded(world);
    expect(await world.row()).toMatchObject({
      status: 'FAILED',
      error: { code: 'too_many_records', message: expect.stringContaining('100 records') },
    });
    expect((await world.types()).slice(100)).toEqual(['RESUMED', 'ERROR', 'INTERACTION_COMPLETE']);
  });

  it.each(EFFECTS)('end what %s for ever', async (_what, once) => {
    const provider = ScriptedProvider.playing(...Array(200).fill(answerTurn('Hi')));
    const agent: AgentFunction = async (ctx) => {
      for (;;) await once(ctx);
    };
    const world = await ran({ agent, provider, env: { MAX_RECORDS: '100' } });
    expect(await world.row()).toMatchObject({ error: { code: 'too_many_records' } });
    expect((await world.log()).length).toBeLessThanOrEqual(102);
  });

  it('count the start of an agent as a tool call', async () => {
    const env = { MAX_TOOL_CALLS: '3' };
    const world = await ran({ agent: forksForEver, env });
    expect(await world.row()).toMatchObject({
      error: { message: expect.stringContaining('No more than 3 tool calls') },
    });
    expect(await countOf(world, 'AGENT_STARTED')).toBe(3);
  });

  it('count it in the budget of the agent that starts it, too', async () => {
    const agent = async (ctx: AgentContext): Promise<string> => {
      const child = await ctx.fork('', { agent_type: 'forking', budget: { tool_calls: 2 } });
      const end = await ctx.wait(child).catch(({ message }: Error) => message);
      return `${end} ${await ctx.wait(await ctx.fork('Go'))}`;
    };
    const world = await ran({ agent, kinds: { ...kinds, forking: forksForEver } });
    expect(await world.all('ANSWER')).toMatchObject([
      { content: expect.stringMatching(/^No more than 2 tool calls .* this agent .* ok$/) },
    ]);
    expect(await countOf(world, 'AGENT_STARTED')).toBe(4);
  });

  it('count an agent that a call starts once', async () => {
    const call = (id: string) => ({ id, name: 'agent', arguments: '{"prompt":"Go"}' });
    const provider = ScriptedProvider.playing(
      callTurn([call('c1'), call('c2'), call('c3')]),
      answerTurn('Done'),
    );
    const agent = (ctx: AgentContext) => new ReactAgent().run(ctx);
    const env = { MAX_TOOL_CALLS: '2' };
    const world = await ran({ agent, provider, env, tools: [new AgentTool()] });
    const results = await world.all('TOOL_RESULT');
    expect(results).toHaveLength(3);
    expect(results.filter(({ is_error }) => is_error)).toHaveLength(1);
    expect(await countOf(world, 'AGENT_STARTED')).toBe(2);
  });
});
