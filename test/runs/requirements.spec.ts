import type { AgentContext } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { untilAborted } from '../../src/kernel/async/promises.js';
import type { ModelEvent } from '../../src/models/model-provider.js';
import type { JudgedCall, ToolVerdict } from '../../src/permissions/judges/tool-judge.js';
import { untilMet } from '../../src/runs/requirements/until-met.js';
import type { Run } from '../../src/runs/run.js';
import type { Tool } from '../../src/tools/core/tool.js';
import { WorkspaceFault } from '../../src/workspace/workspace-fault.js';
import type { Workspaces } from '../../src/workspace/workspaces.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { MovableClock } from '../support/movable-clock.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { askedIn, firstIn } from '../support/runs/asked-in.js';
import { AskingJudge } from '../support/runs/asking-judge.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { ProcessOptions, RunWorldOptions } from '../support/runs/run-world.js';
import { FakeTool } from '../support/tools/fake-tool.js';

/** Answers the question that the run asks. */
async function answerIn(world: RunWorld): Promise<void> {
  const { request_id } = await firstIn(world, 'INPUT_REQUIRED');
  const by = { kind: 'user', user_id: 'ann' } as const;
  const settlement = { kind: 'input', answer: 'b', by } as const;
  await world.store.settleRequest({ request_id, settlement, at: AT });
}

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const SOON = { PARK_AFTER_MS: '0' };
const NO_AGENT: ProcessOptions = { kinds: { tested: undefined } };
const AT = '2026-01-15T10:00:00.000Z';

/** Asks for one payment, then says so. */
function paying(): ScriptedProvider {
  return new ScriptedProvider(({ messages }) =>
    messages.some(({ role }) => role === 'assistant')
      ? answerTurn('Done')
      : callTurn([{ id: 'c1', name: 'pay', arguments: '{}' }]),
  );
}

function open(options: RunWorldOptions = {}): Promise<RunWorld> {
  return RunWorld.open({ agent: react, provider: paying(), env: SOON, ...options });
}

/** A run until it is parked, for this; the notice is in the log once. */
async function parks(world: RunWorld, waits_for: string, process: ProcessOptions): Promise<void> {
  await world.run(process);
  await expectParked(world, waits_for);
}

async function expectParked(world: RunWorld, waits_for: string): Promise<void> {
  expect(await world.row()).toMatchObject({ status: 'RUNNING', waits_for, error: null });
  expect(await noticesOf(world)).toHaveLength(1);
  expect(await world.takeUp()).toBeUndefined();
}

async function noticesOf(world: RunWorld): Promise<string[]> {
  const notices = await world.all('NOTICE');
  return notices.flatMap(({ code, message }) => (code === 'requirement_missing' ? message : []));
}

/** As the sweep does. */
async function wake(world: RunWorld): Promise<void> {
  const { waits_for } = await world.row();
  expect(await world.store.wakeParked(waits_for!, 9)).toEqual([world.interactionId]);
}

async function completes(world: RunWorld, process: ProcessOptions = {}): Promise<void> {
  await world.run(process);
  await expectEnded(world);
  expect(await world.row()).toMatchObject({ status: 'COMPLETED', waits_for: null });
}

async function decide(world: RunWorld, approved = true): Promise<void> {
  const { approval_id: request_id } = await askedIn(world);
  const settlement = { kind: 'approval', approved, by: { kind: 'user', user_id: 'ann' } } as const;
  await world.store.settleRequest({ request_id, settlement, at: AT });
}

/** A call of `pay` that was asked about, by a run that is parked, and then approved. */
async function approved(options: RunWorldOptions = {}): Promise<RunWorld> {
  const world = await open({
    judge: new AskingJudge(),
    tools: [new FakeTool('pay', () => '')],
    ...options,
  });
  await world.run();
  await decide(world);
  return world;
}

/** The folders of chats, all of which are away at first. */
class Folder {
  isThere = false;
  readonly workspaces = {
    use: async (_: string, work: () => Promise<unknown>) => {
      if (!this.isThere) throw new WorkspaceFault('refused', 'It is not mounted.');
      return work();
    },
  } as unknown as Workspaces;
}

/** A tool `pay`, whose payments are counted. */
function counting(): { readonly tool: Tool; sent: number } {
  const counted = { sent: 0 };
  const tool = new FakeTool('pay', () => `Sent ${++counted.sent}.`);
  return Object.assign(counted, { tool });
}

/** Has a person decide about calls of `pay`. */
class PayJudge extends AskingJudge {
  override authorize(call?: JudgedCall): Promise<ToolVerdict> {
    const decision = call?.tool.name === 'pay' ? 'ask' : 'allow';
    return Promise.resolve({ decision, reason: 'Tests ask.' });
  }
}

describe(untilMet.name, () => {
  describe('of an agent', () => {
    it('parks a run that begins, and tells it once', async () => {
      const world = await open();
      for (const _ of [1, 2]) {
        await parks(world, 'agent:tested', NO_AGENT);
        await wake(world);
      }
      const [told] = await noticesOf(world);
      expect(told).toMatch(/lacks the agent tested.* There is no agent "tested".*AGENTS_DIR/);
      await completes(world, { provider: ScriptedProvider.playing(answerTurn('Hi')) });
      expect(await world.types()).not.toContain('RESUMED');
      expect((await world.all('NOTICE')).map(({ code }) => code)).toEqual([
        ...['requirement_missing', 'requirement_met'],
      ]);
    });

    it('keeps a decision that comes before it is there, for one payment (I5)', async () => {
      const pay = counting();
      const world = await approved();
      await parks(world, 'agent:tested', NO_AGENT);
      await wake(world);
      await completes(world, { tools: [pay.tool] });
      expect(pay.sent).toBe(1);
      expect(await world.all('APPROVED')).toHaveLength(1);
    });

    it('keeps one that comes while it is parked (I5)', async () => {
      const pay = counting();
      const world = await open({ judge: new AskingJudge(), tools: [pay.tool] });
      const lost = (await world.takeUp({ env: {} }))!;
      const over = lost.execute();
      await askedIn(world);
      lost.lose();
      await over;
      await world.run(NO_AGENT);
      expect(await world.row()).toMatchObject({
        ...{ status: 'WAITING_APPROVAL', waits_for: 'agent:tested' },
      });
      await decide(world);
      await parks(world, 'agent:tested', NO_AGENT); // the decision woke it
      await wake(world);
      await completes(world);
      expect(pay.sent).toBe(1);
    });

    it('is told, and parked, also of a child that had begun (I3)', async () => {
      const root = async (ctx: AgentContext): Promise<string> => {
        const child = await ctx.fork('Ask', { agent_type: 'helper' });
        return ctx.wait(child);
      };
      const helper = async (ctx: AgentContext): Promise<string> => {
        await ctx.say('One moment');
        return `${await ctx.ask('Which?')}!`;
      };
      const kinds = { tested: root, helper };
      const world = await open({ kinds });
      await world.run();
      await answerIn(world);
      await parks(world, 'agent:helper', { kinds: { tested: root, helper: undefined } });
      await wake(world);
      await completes(world);
      expect(await world.all('ANSWER')).toMatchObject([{ content: 'b!' }]);
      expect(await world.all('AGENT_STARTED')).toHaveLength(1);
    });

    it('of a child that a person has deleted is not waited for', async () => {
      const root = async (ctx: AgentContext): Promise<string> =>
        ctx.wait(await ctx.fork('Ask', { agent_type: 'helper' })).catch(() => 'Without it');
      const helper = async (ctx: AgentContext): Promise<string> => `${await ctx.ask('Which?')}`;
      const world = await open({ kinds: { tested: root, helper } });
      await world.run();
      const log = await world.log();
      const { agent_id } = log.find(({ body }) => body.type === 'AGENT_STARTED')!;
      const none: ProcessOptions = { kinds: { tested: root, helper: undefined } };
      await world.store.intervene({
        ...{ id: 'note_1', interaction_id: world.interactionId, agent_id, created_at: AT },
        ...{ user_comment: 'delete', user_content: null, redacted: null, created_by: 'ann' },
      });
      await completes(world, none);
      expect(await world.all('ANSWER')).toMatchObject([{ content: 'Without it' }]);
    });

    it('leaves unknown what a call did that was lost before (I4, I7)', async () => {
      let sent = 0;
      const lose = async (): Promise<RunWorld> => {
        const tool = new FakeTool('pay', () => (lost.lose(), `Sent ${++sent}.`));
        const world = await open({ tools: [tool] });
        const lost: Run = (await world.takeUp())!;
        await lost.execute();
        expect(await world.all('TOOL_STARTED')).toHaveLength(1);
        await parks(world, 'agent:tested', NO_AGENT);
        return world;
      };
      const world = await lose();
      await wake(world);
      await completes(world);
      const [result] = await world.all('TOOL_RESULT');
      expect(result!.tool_output).toContain('unknown');
      expect(sent).toBe(1);

      const cancelled = await lose();
      await cancelled.store.requestCancel(cancelled.interactionId, 'user');
      await cancelled.run(NO_AGENT);
      expect(await cancelled.all('CANCELLED')).toMatchObject([
        { stopped: [{ name: 'pay', state: 'unknown' }] },
      ]);
    });

    it('that the code of another names by mistake is an error for that code', async () => {
      const agent = async (ctx: AgentContext): Promise<string> =>
        ctx.fork('Do', { agent_type: 'nope' }).then(
          () => 'started',
          ({ code }: { code: string }) => code,
        );
      const world = await open({ agent });
      await completes(world);
      expect(await world.all('ANSWER')).toMatchObject([{ content: 'unknown_agent' }]);
    });
  });

  describe('of a model', () => {
    it('parks a run, and no turn that was paid for is asked again', async () => {
      const provider = paying();
      const pay = counting();
      const world = await approved({ provider, tools: [pay.tool] });
      await parks(world, 'model:fake/model', { provider: null });
      expect(pay.sent).toBe(1); // it needs no model
      expect((await noticesOf(world))[0]).toMatch(/lacks the model fake\/model.*No provider/);
      await wake(world);
      await completes(world);
      expect([pay.sent, provider.requests.length]).toEqual([1, 2]);
      expect(await world.all('TURN_COMPLETED')).toHaveLength(2);
    });

    it('that has answered before is missing, also if the code of the agent names it', async () => {
      const agent = async (ctx: AgentContext): Promise<void> => {
        await ctx.generate({ model: 'fake/other' });
        await ctx.ask('On?');
        await ctx.generate({ model: 'fake/other, fake/third' });
      };
      const provider = ScriptedProvider.playing(answerTurn('Hi'));
      const world = await open({ agent, provider });
      await world.run();
      await answerIn(world);
      await parks(world, 'model:fake/other, fake/third', { provider: null });
      await world.store.requestCancel(world.interactionId, 'user');
      await world.run({ provider: null });
      expect((await world.row()).status).toBe('CANCELLED');
    });
  });

  describe('of the tool of an approved call', () => {
    it('parks the run, and it is called once (I4, I5)', async () => {
      const provider = paying();
      const pay = counting();
      const world = await approved({ provider });
      await parks(world, 'tool:pay', { tools: [] });
      await wake(world);
      await world.run({ tools: [] }); // it is gone again
      expect(await noticesOf(world)).toHaveLength(1);
      await wake(world);
      await completes(world, { tools: [pay.tool] });
      expect([pay.sent, provider.requests.length]).toEqual([1, 2]);
      const told = (await world.log()).filter(({ key }) => key === 'main/1.0');
      expect(told.map(({ body }) => body.type)).toEqual([
        ...['TOOL_CALL', 'APPROVAL_REQUIRED', 'APPROVED', 'TOOL_STARTED', 'TOOL_RESULT'],
      ]);
    });

    it('that was deferred parks the run, and it is called once (I5)', async () => {
      const pay = counting();
      const world = await approved({ approval_mode: 'defer' });
      await parks(world, 'tool:pay', { tools: [] });
      await wake(world);
      await completes(world, { tools: [pay.tool] });
      expect(pay.sent).toBe(1);
      expect(await world.all('APPROVED')).toHaveLength(1);
    });

    it('waits for no tool whose call was rejected', async () => {
      const world = await open({ judge: new AskingJudge(), tools: [counting().tool] });
      await world.run();
      await decide(world, false);
      await completes(world, { tools: [] });
      expect(await noticesOf(world)).toEqual([]);
    });

    it('waits, in memory, inside a call that can’t be made again, and for its folder (I4)', async () => {
      const clock = new MovableClock();
      const folder = new Folder();
      const inner = Object.assign(counting().tool, { uses_workspace: true });
      let calls = 0;
      const outer = new FakeTool('outer', async (_, { call_tool }) => {
        calls++;
        return (await call_tool('pay', '{}')).output;
      });
      const provider = new ScriptedProvider(({ messages }) =>
        messages.some(({ role }) => role === 'assistant')
          ? answerTurn('Done')
          : callTurn([{ id: 'c1', name: 'outer', arguments: '{}' }]),
      );
      const judge = new PayJudge();
      const world = await open({ provider, judge, clock, tools: [inner, outer] });
      const run = (await world.takeUp({ workspaces: folder.workspaces }))!;
      const over = run.execute();
      await decide(world);
      await run.signals.wake();
      await eventually(async () => (await noticesOf(world)).length === 1);
      folder.isThere = true;
      await eventually(async () => (clock.pass(5_000), (await world.row()).status === 'COMPLETED'));
      await over;
      await expectEnded(world);
      expect(calls).toBe(1);
      expect((await noticesOf(world))[0]).toContain('lacks the folder of the chat');
      expect(await world.all('TOOL_RESULT')).toMatchObject([{ is_error: false }, {}]);
    });
  });

  describe('of the folder of a chat', () => {
    it('parks an approved call that works in it, and it is made once (I4, I5)', async () => {
      const folder = new Folder();
      const pay = counting();
      const tools = [Object.assign(pay.tool, { uses_workspace: true })];
      const { workspaces } = folder;
      const world = await approved({ tools, workspaces });
      const { chat_uid } = await world.row();
      await parks(world, `folder:${chat_uid}`, {});
      expect((await noticesOf(world))[0]).toMatch(
        /folder of the chat.*not mounted.*WORKSPACE_ROOTS/,
      );
      folder.isThere = true;
      await wake(world);
      await completes(world);
      expect(pay.sent).toBe(1);
    });

    it('is not looked at for a call that needs none', async () => {
      const pay = counting();
      const { workspaces } = new Folder();
      const world = await approved({ tools: [pay.tool], workspaces });
      await completes(world);
      expect(pay.sent).toBe(1);
    });
  });

  it('costs no working time of a budget', async () => {
    const clock = new MovableClock();
    const env = { ...SOON, MAX_WALL_TIME_MS: '60000' };
    const provider = paying();
    const world = await approved({ clock, env, provider });
    for (const [name, process] of [
      ['agent:tested', NO_AGENT],
      ['tool:pay', { tools: [] }],
      ['model:fake/model', { provider: null }],
    ] as const) {
      await world.run(process);
      expect((await world.row()).waits_for).toBe(name);
      clock.pass(3_600_000);
      await wake(world);
    }
    await completes(world);
  });

  it.each([
    ['agent:tested', NO_AGENT],
    ['tool:pay', { tools: [] }],
  ])('ends at once with a cancel, and the decision is told: %s (I5, I7)', async (name, process) => {
    const world = await approved();
    await parks(world, name, process);
    await world.store.requestCancel(world.interactionId, 'user');
    await world.run(process);
    await expectEnded(world);
    expect((await world.row()).status).toBe('CANCELLED');
    expect(await world.all('APPROVED')).toHaveLength(1);
    expect(await world.all('TOOL_RESULT')).toMatchObject([
      { is_error: true, tool_output: expect.stringContaining('not started') },
    ]);
  });

  it('ends at once with a cancel while the run is in memory (I7)', async () => {
    const world = await open({ env: {} });
    const run = (await world.takeUp(NO_AGENT))!;
    const over = run.execute();
    await eventually(async () => (await noticesOf(world)).length === 1);
    run.cancel('user');
    await over;
    expect((await world.row()).status).toBe('CANCELLED');
  });

  it('leaves a run to another process when this one stops', async () => {
    const world = await open({ env: {} });
    const run = (await world.takeUp(NO_AGENT))!;
    const over = run.execute();
    await eventually(async () => (await noticesOf(world)).length === 1);
    await run.shutDown(0);
    await over;
    await expectParked(world, 'agent:tested');
  });

  it('lets other work end first: its model is not asked twice', async () => {
    let gate = new Gate();
    const pay = counting();
    const answer = async function* (signal: AbortSignal): AsyncGenerator<ModelEvent> {
      await untilAborted(gate.pass(), signal);
      yield* answerTurn('Found');
    };
    const provider = new ScriptedProvider(({ messages }, signal) =>
      messages[0]?.content === 'Look'
        ? answer(signal)
        : callTurn([{ id: 'c1', name: 'pay', arguments: '{}' }]),
    );
    const root = async (ctx: AgentContext): Promise<string> => {
      const turn = await ctx.generate();
      const helper = await ctx.fork('Look', { agent_type: 'helper' });
      await ctx.callTools(turn.tool_calls);
      return ctx.wait(helper);
    };
    const kinds = { tested: root, helper: react };
    const world = await open({ kinds, provider, judge: new AskingJudge(), tools: [pay.tool] });
    const lost: Run = (await world.takeUp({ env: {} }))!;
    const begun = lost.execute();
    await askedIn(world);
    lost.lose();
    await begun;
    await decide(world);

    gate = new Gate();
    const run = (await world.takeUp({ tools: [] }))!;
    const over = run.execute();
    await gate.reached;
    await eventually(async () => (await noticesOf(world)).length === 1);
    gate.open();
    await over;
    await expectParked(world, 'tool:pay');
    const asked = provider.requests.length;
    await wake(world);
    await completes(world);
    expect([pay.sent, provider.requests.length]).toEqual([1, asked]);
  });
});
