import { z } from 'zod';
import type { AgentContext } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { ToolEffect } from '../../src/runs/tool-call/tool.effect.js';
import type { Run } from '../../src/runs/run.js';
import type { ApprovalMode } from '../../src/protocol/chat-settings.js';
import type { Tool, ToolRecovery } from '../../src/tools/core/tool.js';
import { askedIn } from '../support/runs/asked-in.js';
import { AskingJudge } from '../support/runs/asking-judge.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const UNKNOWN = expect.stringContaining('It is unknown whether its effect');
const MISSING = expect.stringContaining('There is no tool "pay"');

const provider = new ScriptedProvider(({ messages }) =>
  messages.some(({ role }) => role === 'assistant')
    ? answerTurn('Done')
    : callTurn([{ id: 'c1', name: 'pay', arguments: '{}' }]),
);

/** A tool `pay`, whose payments a test counts. */
class Payments {
  sent = 0;

  tool(recovery: ToolRecovery = 'report', during: () => void = () => {}): FakeTool {
    return new FakeTool('pay', () => (during(), `Sent ${++this.sent}.`), recovery);
  }
}

/** A call of `pay`, declared as `recovery`, that a lost run has started once. */
async function startedAs(recovery: ToolRecovery, approval_mode: ApprovalMode = 'auto') {
  const payments = new Payments();
  const judge = new AskingJudge();
  const world = await RunWorld.open({ agent: react, provider, judge, approval_mode });
  const lost: Run = (await world.takeUp({
    tools: [payments.tool(recovery, () => lost.lose())],
  }))!;
  const over = lost.execute();
  if (approval_mode !== 'auto') await decide(world, lost, true);
  await over;
  expect(await world.all('TOOL_STARTED')).toHaveLength(1);
  return { world, payments };
}

/** A call of `pay` that a lost run has asked about. */
async function asked(approval_mode: ApprovalMode = 'ask') {
  const payments = new Payments();
  const judge = new AskingJudge();
  const world = await RunWorld.open({ agent: react, provider, judge, approval_mode });
  const lost = (await world.takeUp({ tools: [payments.tool()] }))!;
  const over = lost.execute();
  await askedIn(world);
  lost.lose();
  await over;
  return { world, payments };
}

async function decide(world: RunWorld, run: Run, approved: boolean): Promise<void> {
  const { approval_id: request_id } = await askedIn(world);
  const settlement = { kind: 'approval', approved, by: { kind: 'user', user_id: 'ann' } } as const;
  const at = new Date().toISOString();
  await world.store.settleRequest({ request_id, settlement, at });
  await run.signals.wake();
}

async function resume(world: RunWorld, tools: readonly Tool[], approved?: boolean) {
  const run = (await world.takeUp({ tools }))!;
  const over = run.execute();
  if (approved !== undefined) await decide(world, run, approved);
  await over;
  await expectEnded(world);
  expect((await world.row()).status).toBe('COMPLETED');
}

/** Of the records of the call. */
async function typesOf(world: RunWorld): Promise<string[]> {
  const log = await world.log();
  const { key } = log.find(({ body }) => body.type === 'TOOL_CALL')!;
  return log.filter((record) => record.key === key).map(({ body }) => body.type);
}

describe(ToolEffect.name, () => {
  it.each([
    ['report', undefined, UNKNOWN],
    ['replay', undefined, UNKNOWN],
    ['rerun', undefined, MISSING],
    ['report', 'rerun', UNKNOWN],
    ['report', 'replay', UNKNOWN],
    ['rerun', 'report', UNKNOWN],
  ] as const)(
    'that was started as %s, taken up with %s, is not made again (I4)',
    async (before, now, tool_output) => {
      const { world, payments } = await startedAs(before);
      await resume(world, now ? [payments.tool(now)] : []);
      expect(payments.sent).toBe(1);
      expect(await world.all('TOOL_RESULT')).toMatchObject([{ is_error: true, tool_output }]);
    },
  );

  it('that was started as replay is unknown, if the tool does not take its arguments any more', async () => {
    const { world, payments } = await startedAs('replay');
    const stricter = Object.assign(payments.tool('replay'), {
      input: z.object({ to: z.string() }),
    });
    await resume(world, [stricter]);
    expect(payments.sent).toBe(1);
    expect(await world.all('TOOL_RESULT')).toMatchObject([{ tool_output: UNKNOWN }]);
  });

  it('that was deferred and started is unknown, if its tool is missing (I4)', async () => {
    const { world, payments } = await startedAs('report', 'defer');
    await resume(world, []);
    expect(payments.sent).toBe(1);
    expect(await world.all('NOTICE')).toMatchObject([
      { code: 'deferred_call_settled', message: UNKNOWN },
    ]);
  });

  it('that was asked, and rejected, does not wait for its missing tool (I5)', async () => {
    const { world, payments } = await asked();
    await resume(world, [], false);
    expect(payments.sent).toBe(0);
    expect(await typesOf(world)).toEqual([
      ...['TOOL_CALL', 'APPROVAL_REQUIRED', 'REJECTED', 'TOOL_RESULT'],
    ]);
    expect(await world.all('TOOL_RESULT')).toMatchObject([
      { is_error: true, tool_output: expect.stringContaining('rejected') },
    ]);
  });

  it('that was asked writes the decision with what comes of it', async () => {
    const { world, payments } = await asked();
    const lost = (await world.takeUp({
      tools: [payments.tool()],
      append: (batches) =>
        JSON.stringify(batches).includes('TOOL_STARTED')
          ? Promise.resolve(batches.map(() => 'fenced'))
          : world.store.append(batches),
    }))!;
    const over = lost.execute();
    await decide(world, lost, true);
    await over;
    expect(await typesOf(world)).toEqual(['TOOL_CALL', 'APPROVAL_REQUIRED']);
    await resume(world, [payments.tool()]);
    expect(payments.sent).toBe(1);
    expect(await typesOf(world)).toEqual([
      ...['TOOL_CALL', 'APPROVAL_REQUIRED', 'APPROVED', 'TOOL_STARTED', 'TOOL_RESULT'],
    ]);
  });

  it('that is asked in the mode `defer` waits for its decision, also without its tool', async () => {
    const { world, payments } = await asked('defer');
    await resume(world, [], false);
    expect(payments.sent).toBe(0);
    expect(await world.all('TOOL_RESULT')).toMatchObject([{ is_error: false }]);
    expect(await world.all('REJECTED')).toHaveLength(1);
    expect(await world.all('NOTICE')).toMatchObject([
      { code: 'deferred_call_settled', message: expect.stringContaining('rejected') },
    ]);
  });
});
