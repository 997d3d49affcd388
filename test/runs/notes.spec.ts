import type { AgentHandle } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { AgentTool } from '../../src/tools/agent/agent.tool.js';
import { TellAgentTool } from '../../src/tools/agent/tell-agent.tool.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { Gate } from '../support/gate.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { AgentFunction, RunWorldOptions } from '../support/runs/run-world.js';

const react: AgentFunction = (ctx) => new ReactAgent().run(ctx);

async function ran(options: RunWorldOptions): Promise<RunWorld> {
  const world = await RunWorld.open({ kinds: { react }, ...options });
  await world.run();
  await expectEnded(world);
  return world;
}

function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'done',
    ({ code }: { code: string }) => code,
  );
}

describe('ctx.tell', () => {
  it('leaves a note that the parent reads with its next turn, and only with that one', async () => {
    const child: AgentFunction = async (ctx) => ctx.tell('parent', 'The tests are in spec/.');
    const provider = ScriptedProvider.playing(answerTurn('Aha'), answerTurn('And so on'));
    let id = '';
    const world = await ran({
      kinds: { child },
      provider,
      agent: async (ctx) => {
        const handle = await ctx.fork('Look', { agent_type: 'child' });
        id = handle.agent_id;
        await ctx.wait(handle);
        await ctx.generate();
        await ctx.generate();
      },
    });
    const note = `Note from the agent ${id}:\n\nThe tests are in spec/.`;
    const users = provider.requests.map(({ messages }) =>
      messages.filter(({ role }) => role === 'user').map(({ content }) => content),
    );
    expect(users).toEqual([
      ['Hello', note],
      ['Hello', note],
    ]);
    const [told] = await world.all('AGENT_TOLD');
    expect(await world.all('NOTE_READ')).toMatchObject([
      { note_id: told!.note_id, from_agent_id: id, text: 'The tests are in spec/.' },
    ]);
  });

  it('reaches a child that runs', async () => {
    const told = new Gate();
    const child: AgentFunction = async (ctx) => {
      await ctx.step('wait', () => told.pass());
      return (await ctx.generate()).text;
    };
    const provider = new ScriptedProvider(({ messages }) =>
      answerTurn(String(messages.at(-1)?.content)),
    );
    const world = await ran({
      kinds: { child },
      provider,
      agent: async (ctx) => {
        const handle = await ctx.fork('Look', { agent_type: 'child' });
        await told.reached;
        await ctx.tell(handle, 'In spec/.');
        told.open();
        return ctx.wait(handle);
      },
    });
    expect(await world.all('ANSWER')).toMatchObject([
      { content: expect.stringMatching(/^Note from the agent agent_.*\n\nIn spec\/\.$/) },
    ]);
  });

  it('is refused without a parent, for agents that are not children, and for long notes', async () => {
    const outcomes: unknown[] = [];
    await ran({
      agent: async (ctx) => {
        outcomes.push(await outcome(ctx.tell('parent', 'Hi')));
        outcomes.push(await outcome(ctx.tell({ agent_id: 'agent_x' } as AgentHandle, 'Hi')));
        const child = await ctx.fork('Look');
        outcomes.push(await outcome(ctx.tell(child, 'x'.repeat(16_385))));
      },
    });
    expect(outcomes).toEqual(['no_parent', 'unknown_child', 'note_too_long']);
  });
});

describe(TellAgentTool.name, () => {
  it('is offered to child agents, and tells the parent of its model', async () => {
    const provider = new ScriptedProvider(({ messages }) => {
      const [first, ...rest] = messages;
      if (first?.content === 'Search' && rest.length === 0)
        return callTurn([{ id: 't1', name: 'tell_agent', arguments: '{"text":"Found it"}' }]);
      if (first?.content === 'Search') return answerTurn('Searched');
      if (rest.length === 0)
        return callTurn([{ id: 'c1', name: 'agent', arguments: '{"prompt":"Search"}' }]);
      return answerTurn('Done');
    });
    const tools = [new AgentTool(), new TellAgentTool()];
    const world = await ran({ agent: react, provider, tools });
    expect(await world.all('TOOL_RESULT')).toMatchObject([
      { tool_name: 'tell_agent', tool_output: 'The note is left.' },
      { tool_name: 'agent', tool_output: 'Searched' },
    ]);
    const offered = provider.requests.map(({ tools: all = [] }) => all.map(({ name }) => name));
    expect(offered[0]).toEqual(['agent']);
    expect(offered[1]).toEqual(['agent', 'tell_agent']);
    const last = provider.requests.at(-1)!.messages.at(-1);
    expect(last?.content).toMatch(/^Note from the agent agent_.*\n\nFound it$/);
  });
});
