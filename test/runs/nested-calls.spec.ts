import type { AgentContext } from '../../src/agents/agent-context.js';
import { NestedSteps } from '../../src/runs/tool-call/nested-steps.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import type { ToolContext } from '../../src/tools/core/tool.js';
import type { JudgedCall, ToolVerdict } from '../../src/permissions/judges/tool-judge.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { TrustingJudge } from '../support/runs/trusting-judge.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

/** The tool `outer` does `work`; `inner` answers how often it ran. */
function world(work: (context: ToolContext) => Promise<string>, env = {}): Promise<RunWorld> {
  let runs = 0;
  const call = callTurn([{ id: 'c1', name: 'outer', arguments: '{}' }]);
  return RunWorld.open({
    agent: react,
    env,
    provider: ScriptedProvider.playing(call, answerTurn('Done')),
    tools: [
      new FakeTool('outer', (_, context) => work(context), 'replay'),
      new FakeTool('inner', () => String(++runs)),
    ],
  });
}

describe(NestedSteps.name, () => {
  it('tells of calls inside a call, and keeps them out of the conversation (I8)', async () => {
    const opened = await world(async ({ call_tool }) => {
      const first = await call_tool('inner', '{"n":1}');
      const missing = await call_tool('missing', '{}');
      return [first.output, missing.is_error].join();
    });
    await opened.run();
    const [outer, inner, missing] = await opened.all('TOOL_CALL');
    expect(outer).not.toHaveProperty('parent_tool_call_id');
    expect(inner).toMatchObject({
      tool_name: 'inner',
      tool_input: '{"n":1}',
      parent_tool_call_id: 'c1',
    });
    expect(missing).toMatchObject({ tool_name: 'missing', parent_tool_call_id: 'c1' });
    expect((await opened.all('TOOL_RESULT')).map(({ id }) => id)).toEqual([
      inner!.id,
      missing!.id,
      'c1',
    ]);
    const messages = (await opened.messages())!;
    expect(checkConversation(messages)).toEqual([]);
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([{ content: '1,true' }]);
  });

  it('closes what a lost tool has left open inside, before its own result (I4, I5)', async () => {
    const judge = new (class extends TrustingJudge {
      override authorize(call?: JudgedCall): Promise<ToolVerdict> {
        const decision = call?.tool.name === 'inner' ? 'ask' : 'allow';
        return Promise.resolve({ decision, reason: 'Tests ask.' });
      }
    })();
    const provider = new ScriptedProvider(({ messages }) => {
      if (messages.at(-1)!.role === 'tool') return answerTurn('Done');
      const name = messages.some(({ content }) => content === 'Look') ? 'inner' : 'outer';
      return callTurn([{ id: name, name, arguments: '{}' }]);
    });
    let runs = 0;
    const outer = new FakeTool('outer', async (_, { ask, call_tool, run_agent }) => {
      await Promise.all([ask('Well?'), call_tool('inner', '{}'), run_agent('Look')]);
      return 'never';
    });
    const tools = [outer, new FakeTool('inner', () => String(++runs))];
    const opened = await RunWorld.open({ agent: react, kinds: { react }, judge, provider, tools });
    const lost = (await opened.takeUp({
      append: async (batches) => {
        const outcomes = await opened.store.append(batches);
        const asked = await opened.store.listRequests({ status: 'pending', limit: 9 });
        if (asked.length === 3) queueMicrotask(() => lost.lose());
        return outcomes;
      },
    }))!;
    await lost.execute();
    await opened.run();
    await expectEnded(opened);
    expect((await opened.row()).status).toBe('COMPLETED');
    const types = await opened.types();
    expect(types.slice(types.indexOf('RESUMED') + 1, -3)).toEqual([
      ...['INPUT_RECEIVED', 'REJECTED', 'REJECTED', 'TOOL_RESULT', 'TOOL_RESULT'],
      ...['AGENT_COMPLETED', 'TOOL_RESULT'],
    ]);
    expect(await opened.all('REJECTED')).toMatchObject([
      { by: { kind: 'system' }, cause: 'cancel' },
      { by: { kind: 'system' }, cause: 'cancel' },
    ]);
    const results = await opened.all('TOOL_RESULT');
    expect(results.at(-1)).toMatchObject({
      ...{ id: 'outer', is_error: true },
      tool_output: expect.stringContaining('It is unknown whether its effect'),
    });
    expect(runs).toBe(0);
  });

  it('counts them among the calls that an interaction may make', async () => {
    const opened = await world(
      async ({ call_tool }) => {
        const outputs: string[] = [];
        for (let i = 0; i < 4; i++) outputs.push((await call_tool('inner', `{"n":${i}}`)).output);
        return outputs.map((output) => output.slice(0, 9)).join();
      },
      { MAX_TOOL_CALLS: '3' },
    );
    await opened.run();
    const results = await opened.all('TOOL_RESULT');
    expect(results.at(-1)!.tool_output).toBe('1,2,This call,This call');
  });

  it('tells the time of the log', async () => {
    const opened = await world(async ({ call_tool, now }) => {
      const began = await now();
      const { output } = await call_tool('inner', '{}');
      return [began, output, await now()].join();
    });
    await opened.run();
    const log = await opened.log();
    const at = (type: string) => Date.parse(log.find(({ body }) => body.type === type)!.at);
    const { tool_output } = (await opened.all('TOOL_RESULT')).at(-1)!;
    expect(tool_output).toBe([at('TOOL_STARTED'), 1, at('TOOL_RESULT')].join());
  });
});
