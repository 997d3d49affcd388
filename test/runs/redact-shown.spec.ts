import { Logger } from '@nestjs/common';
import type { AgentContext } from '../../src/agents/agent-context.js';
import type { HookContext, Step } from '../../src/agents/agent-hooks.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { Hooks } from '../../src/agents/server-hooks.js';
import { loadConfig } from '../../src/config/load-config.js';
import { SecretsGuardrail } from '../../src/guardrails/secrets/secrets.guardrail.js';
import { guardText } from '../../src/runs/guarding/guard-output.js';
import { askedIn, firstIn } from '../support/runs/asked-in.js';
import { AskingJudge } from '../support/runs/asking-judge.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import type { Task } from '../../src/protocol/wire/task.js';

const SECRET = 'a-token-of-the-server';
const GONE = '[redacted: MY_TOKEN of the server]';
const NOTICE = { message: `Guardrail secrets: Secrets were redacted: MY_TOKEN of the server.` };
const AT = '2026-01-15T10:00:00.000Z';
const TASK: Task = {
  ...{ id: 'task_1', chat_id: 'chat_test', title: 'Test', description: null },
  ...{ status: 'pending', version: 1, agent_id: null, created_at: AT, updated_at: AT },
};
const guardrails = [new SecretsGuardrail(loadConfig({ MY_TOKEN: SECRET }))];
const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

const calling = (name: string) =>
  ScriptedProvider.playing(callTurn([{ id: 'c1', name, arguments: '{}' }]), answerTurn('Done'));

describe(guardText.name, () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('redacts the arguments of a call inside a tool, which does not run then', async () => {
    const seen: unknown[] = [];
    const outer = new FakeTool('outer', async (_, { call_tool }) => {
      const { output } = await call_tool('inner', JSON.stringify({ key: SECRET }));
      return output;
    });
    const inner = new FakeTool('inner', (input) => String(seen.push(input)));
    const options = { agent: react, provider: calling('outer'), tools: [outer, inner], guardrails };
    const world = await RunWorld.open(options);
    await world.run();
    const [, nested] = await world.all('TOOL_CALL');
    expect(nested!.tool_input).toBe(`{"key":"${GONE}"}`);
    expect(seen).toEqual([]);
    expect(await world.all('TOOL_RESULT')).toMatchObject([
      { id: nested!.id, is_error: true, tool_output: expect.stringContaining('did not run') },
      { id: 'c1' },
    ]);
    expect(await world.all('NOTICE')).toMatchObject([NOTICE]);
    expect(JSON.stringify(await world.log())).not.toContain(SECRET);
  });

  it('redacts the events, notices and metadata of a tool, and of the hooks of an agent', async () => {
    const tool = new FakeTool('outer', async (_, { emit, set_metadata, tell }) => {
      await emit('by_tool', { deep: [SECRET] });
      await set_metadata('tool', SECRET);
      await tell({ type: 'NOTICE', code: 'odd', message: `Found ${SECRET}` });
      await tell({ type: 'TASK_UPDATED', task: { ...TASK, title: SECRET, description: SECRET } });
      return 'ok';
    });
    class Emitting extends Hooks {
      override beforeStep({ kind }: Step, ctx: HookContext): void {
        if (kind === 'tool_call') ctx.emit('by_hook', SECRET);
      }
    }
    const options = { agent: react, provider: calling('outer'), tools: [tool], guardrails };
    const world = await RunWorld.open({ ...options, hooks: [new Emitting()] });
    await world.run();
    expect(await world.all('CUSTOM')).toMatchObject([
      { name: 'by_hook', data: GONE },
      { name: 'by_tool', data: { deep: [GONE] } },
    ]);
    expect(await world.all('METADATA_SET')).toMatchObject([{ key: 'tool', value: GONE }]);
    expect((await world.all('NOTICE')).map(({ message }) => message)).toContain(`Found ${GONE}`);
    expect(await world.all('TASK_UPDATED')).toMatchObject([
      { task: { title: GONE, description: GONE } },
    ]);
    expect(JSON.stringify(await world.log())).not.toContain(SECRET);
  });

  it('redacts the description of a call that a person is asked about', async () => {
    const tool = new (class extends FakeTool {
      override summarize(): string {
        return `Writes over ${SECRET}`;
      }
    })('edit_file', () => 'ok');
    const options = { agent: react, provider: calling('edit_file'), tools: [tool], guardrails };
    const world = await RunWorld.open({ ...options, judge: new AskingJudge() });
    const run = await world.takeUp();
    const executed = run!.execute();
    const request = await askedIn(world);
    expect(request).toMatchObject({ action: `Writes over ${GONE}` });
    expect(await world.all('NOTICE')).toMatchObject([NOTICE]);
    run!.cancel('Enough.');
    await executed;
    expect(JSON.stringify(await world.log())).not.toContain(SECRET);
  });

  it('redacts a question and its options', async () => {
    const agent = async (ctx: AgentContext): Promise<void> => {
      await ctx.ask(`Is it ${SECRET}?`, { options: [`Yes, ${SECRET}`, 'No'] });
    };
    const world = await RunWorld.open({ agent, guardrails });
    const run = await world.takeUp();
    const executed = run!.execute();
    const request = await firstIn(world, 'INPUT_REQUIRED');
    expect(request).toMatchObject({ question: `Is it ${GONE}?`, options: [`Yes, ${GONE}`, 'No'] });
    run!.cancel('Enough.');
    await executed;
    expect(JSON.stringify(await world.log())).not.toContain(SECRET);
  });
});
