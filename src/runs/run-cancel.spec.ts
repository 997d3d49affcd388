import { jest } from '@jest/globals';
import type { AgentContext } from '../agents/agent-context.js';
import { ReactAgent } from '../agents/kinds/react/react.agent.js';
import { ModelError } from '../models/model-error.js';
import type { RecordType } from '../protocol/events.js';
import { eventually } from '../../test/support/eventually.js';
import { expectEnded } from '../../test/support/client/expect-ended.js';
import { FakeTool } from '../../test/support/tools/fake-tool.js';
import { Gate } from '../../test/support/gate.js';
import { answerTurn, callTurn, textDelta } from '../../test/support/model/model-events.js';
import { aborted, quiet } from '../../test/support/quiet.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import type { ProcessOptions, RunWorldOptions } from '../../test/support/runs/run-world.js';
import { ScriptedProvider } from '../../test/support/model/scripted-provider.js';
import { Run } from './run.js';

const CALL = { id: 'c1', name: 'tool', arguments: '{}' };
const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

/** Runs it and cancels it when `moment` comes. */
async function cancelledAt(
  moment: Promise<void>,
  options: ProcessOptions & RunWorldOptions,
  opened = RunWorld.open(),
): Promise<RunWorld> {
  const world = await opened;
  const run = (await world.takeUp({ agent: react, ...options }))!;
  const done = run.execute();
  await moment;
  run.cancel('user');
  await done;
  await expectEnded(world);
  expect(world.errors).toEqual([]);
  return world;
}

/** Runs it, and cancels it while records of such types are being saved. */
async function cancelledWhileSaving(
  isMoment: (types: readonly RecordType[]) => boolean,
  options: RunWorldOptions,
): Promise<RunWorld> {
  const gate = new Gate();
  const world = await RunWorld.open({ agent: react, ...options });
  const append: ProcessOptions['append'] = async (batches) => {
    const types = batches.flatMap(({ records }) => records.map(({ body }) => body.type));
    if (isMoment(types)) await gate.pass();
    return world.store.append(batches);
  };
  const run = (await world.takeUp({ append }))!;
  const done = run.execute();
  await gate.reached;
  run.cancel('user');
  gate.open();
  await done;
  await expectEnded(world);
  return world;
}

/** A model that says something, waits at the gate, and stops when it is told to. */
function hesitating(gate: Gate, ...deltas: string[]): ScriptedProvider {
  return new ScriptedProvider(async function* (_, signal) {
    yield* deltas.map((delta) => textDelta(delta));
    await Promise.race([gate.pass(), aborted(signal)]);
    signal.throwIfAborted();
  });
}

function calling(...ids: string[]): ScriptedProvider {
  const calls = ids.map((id) => ({ ...CALL, id }));
  return ScriptedProvider.playing(callTurn(calls), answerTurn('Done'));
}

/** An interaction whose process was lost while its tool ran. */
async function lostDuringCall(): Promise<RunWorld> {
  const world = await RunWorld.open({ agent: react });
  const lost: Run = (await world.takeUp({
    provider: calling('c1'),
    tools: [new FakeTool('tool', () => lost.lose() as never)],
  }))!;
  await lost.execute();
  return world;
}

describe(Run.name, () => {
  describe('when it is cancelled', () => {
    it('does not call the agent if that was before the beginning', async () => {
      const agent = jest.fn<() => Promise<void>>();
      const world = await RunWorld.open({ agent });
      const run = (await world.takeUp())!;
      run.cancel('user');
      await run.execute();
      await expectEnded(world);
      expect(agent).not.toHaveBeenCalled();
      expect(await world.types()).toEqual([
        ...['INTERACTION_STARTED', 'CANCELLED', 'INTERACTION_COMPLETE'],
      ]);
      expect(await world.all('CANCELLED')).toMatchObject([{ reason: 'user', stopped: [] }]);
      expect(await world.messages()).toEqual([{ role: 'user', content: 'Hello' }]);
    });

    it('does not call the agent if the flag was there when it was taken up', async () => {
      const agent = jest.fn<() => Promise<void>>();
      const world = await RunWorld.open({ agent });
      await world.store.requestCancel(world.interactionId, 'too slow');
      await world.run();
      await expectEnded(world);
      expect(agent).not.toHaveBeenCalled();
      expect(await world.all('CANCELLED')).toMatchObject([{ reason: 'too slow' }]);
      expect((await world.row()).status).toBe('CANCELLED');
    });

    it('makes an answer of the text that readers have seen', async () => {
      const gate = new Gate();
      const world = await cancelledAt(gate.reached, {
        provider: hesitating(gate, 'Once ', 'upon'),
      });
      const [answer] = await world.all('ANSWER');
      expect(answer).toMatchObject({ content: 'Once upon', partial: true });
      const items = world.frames.flatMap(({ items }) => items);
      const shown = items.flatMap((item) => (item.kind === 'delta' ? [item.delta] : []));
      expect(new Set(shown.map(({ block_id }) => block_id))).toEqual(new Set([answer?.block_id]));
      expect((await world.messages())!.at(-1)).toEqual({ role: 'assistant', content: 'Once upon' });
      expect(await world.all('CANCELLED')).toMatchObject([
        { stopped: [{ kind: 'model', name: 'fake/model', state: 'stopped' }] },
      ]);
      expect(items.at(-1)).toMatchObject({ record: { body: { type: 'INTERACTION_COMPLETE' } } });
    });

    it('leaves out half a character', async () => {
      const gate = new Gate();
      const provider = hesitating(gate, 'Hi \ud83e');
      const world = await cancelledAt(gate.reached, { provider });
      expect(await world.all('ANSWER')).toMatchObject([{ content: 'Hi ' }]);
    });

    it('makes no answer of nothing, nor of what nobody was to see', async () => {
      const gate = new Gate();
      const agent = async (ctx: AgentContext): Promise<void> => {
        await ctx.generate({ visible: false });
      };
      const provider = hesitating(gate, 'Secret');
      const world = await cancelledAt(gate.reached, { agent, provider });
      expect(await world.all('ANSWER')).toEqual([]);
      expect(await world.all('CANCELLED')).toMatchObject([{ stopped: [{ kind: 'model' }] }]);
    });

    it('takes nothing more from a model that does not listen', async () => {
      const gate = new Gate();
      const provider = new ScriptedProvider(async function* () {
        yield textDelta('Seen');
        await gate.pass();
        yield textDelta(' and not seen');
        yield* answerTurn(' at all');
      });
      const world = await RunWorld.open({ agent: react, provider });
      const run = (await world.takeUp())!;
      const done = run.execute();
      await gate.reached;
      run.cancel('user');
      gate.open();
      await done;
      await expectEnded(world);
      expect(await world.all('ANSWER')).toMatchObject([{ content: 'Seen', partial: true }]);
      expect(JSON.stringify(world.frames)).not.toContain('not seen');
    });

    it('stops tools, and says of each what happened', async () => {
      const gate = new Gate();
      const tool = new FakeTool('tool', async (_, { signal }) => {
        await Promise.race([gate.pass(), aborted(signal)]);
        return 'never recorded';
      });
      const quick = new FakeTool('quick', () => 'quick');
      const calls = [CALL, { id: 'c2', name: 'quick', arguments: '{}' }];
      const provider = ScriptedProvider.playing(callTurn(calls));
      const done = gate.reached.then(() => quiet(undefined));
      const world = await cancelledAt(done, { provider, tools: [tool, quick] });
      expect(await world.all('TOOL_RESULT')).toMatchObject([
        { id: 'c2', tool_output: 'quick', is_error: false },
        { id: 'c1', is_error: true },
      ]);
      const [, stopped] = await world.all('TOOL_RESULT');
      expect(stopped?.tool_output).toContain('Cancelled. The tool was stopped while it ran');
      expect(await world.all('CANCELLED')).toMatchObject([
        { stopped: [{ kind: 'tool', id: 'c1', name: 'tool', state: 'stopped' }] },
      ]);
    });

    it('does not start a tool whose start was just being recorded', async () => {
      const work = jest.fn(() => 'done');
      await cancelledWhileSaving((types) => types.includes('TOOL_STARTED'), {
        provider: calling('c1'),
        tools: [new FakeTool('tool', work)],
      });
      expect(work).not.toHaveBeenCalled();
    });

    it('names a tool whose host was lost also when the model was told so before: it may be running there still (I7)', async () => {
      const gate = new Gate();
      const next = { provider: hesitating(gate), tools: [new FakeTool('tool', () => '')] };
      const world = await cancelledAt(gate.reached, next, lostDuringCall());
      expect(await world.all('TOOL_RESULT')).toMatchObject([{ id: 'c1', is_error: true }]);
      expect((await world.all('CANCELLED'))[0]!.stopped).toEqual([
        expect.objectContaining({ kind: 'model', state: 'stopped' }),
        { kind: 'tool', id: 'c1', name: 'tool', state: 'unknown' },
      ]);
    });

    it('says that the outcome is unknown of a tool whose host was lost', async () => {
      const world = await lostDuringCall();
      await world.store.requestCancel(world.interactionId, 'user');
      await world.run({ tools: [new FakeTool('tool', () => 'again')] });
      await expectEnded(world);
      expect((await world.all('TOOL_RESULT'))[0]?.tool_output).toContain('it is unknown whether');
      expect(await world.all('CANCELLED')).toMatchObject([
        { stopped: [{ kind: 'tool', id: 'c1', state: 'unknown' }] },
      ]);
    });

    it('tells the answer to a question that came before it, although nobody waits for it (I5)', async () => {
      const world = await RunWorld.open({
        agent: async (ctx) => void (await Promise.all([ctx.ask('One?'), ctx.ask('Two?')])),
      });
      const asking = (await world.takeUp())!;
      const asked = asking.execute();
      await eventually(async () => (await world.all('INPUT_REQUIRED')).length === 2);
      asking.lose();
      await asked;
      const [one] = await world.all('INPUT_REQUIRED');
      const settlement = {
        kind: 'input',
        answer: 'Yes',
        by: { kind: 'user', user_id: 'ann' },
      } as const;
      const at = new Date().toISOString();
      await world.store.settleRequest({ request_id: one!.request_id, settlement, at });
      await world.store.requestCancel(world.interactionId, 'user');
      await world.run();
      await expectEnded(world);
      expect(await world.all('INPUT_RECEIVED')).toMatchObject([
        { request_id: one!.request_id, answer: 'Yes' },
      ]);
    });

    it('does not wait for the next try of a model', async () => {
      const failed = new Gate();
      const provider = new ScriptedProvider(() => {
        throw new ModelError('model_rate_limited', 'Slow down.', {
          retryable: true,
          retry_after_ms: 30_000,
        });
      });
      const world = await RunWorld.open({ agent: react, provider });
      const run = (await world.takeUp())!;
      world.bus.frames(world.interactionId).subscribe(() => void failed.pass());
      const done = run.execute();
      await failed.reached;
      await quiet(null);
      run.cancel('user');
      await done;
      await expectEnded(world);
      expect(provider.requests).toHaveLength(1);
    });

    it('ends the interaction although its agent never returns', async () => {
      const gate = new Gate();
      const agent = async (): Promise<void> => {
        void gate.pass();
        await new Promise(() => {});
      };
      const world = await cancelledAt(gate.reached, { agent });
      expect((await world.row()).status).toBe('CANCELLED');
    });

    it('has its agent start nothing more, whatever it does about it', async () => {
      const gate = new Gate();
      const agent = async (ctx: AgentContext): Promise<void> => {
        void gate.pass();
        await aborted(ctx.signal);
        void ctx.say('I will not stop');
        await ctx.generate();
      };
      const provider = ScriptedProvider.playing(answerTurn('Hi'));
      const world = await cancelledAt(gate.reached, { agent, provider });
      expect(provider.requests).toEqual([]);
      expect(await world.all('MESSAGE')).toEqual([]);
    });

    it('records an answer once that was being saved at that moment', async () => {
      const world = await cancelledWhileSaving(() => true, {});
      expect(await world.types()).toEqual([
        ...['INTERACTION_STARTED', 'ANSWER', 'TURN_COMPLETED', 'CANCELLED', 'INTERACTION_COMPLETE'],
      ]);
      expect(await world.messages()).toHaveLength(2);
      expect(await world.all('CANCELLED')).toMatchObject([{ stopped: [] }]);
    });

    it('is too late once its end is being saved', async () => {
      const world = await cancelledWhileSaving(() => true, { agent: async () => 'Done' });
      expect((await world.row()).status).toBe('COMPLETED');
    });

    it('waits for a tool that takes its time to stop, and no longer than its grace', async () => {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      try {
        const gate = new Gate();
        const tools = [new FakeTool('tool', () => gate.pass().then(() => 'late'))];
        const world = await RunWorld.open({ agent: react, provider: calling('c1'), tools });
        const run = (await world.takeUp())!;
        const done = run.execute();
        await gate.reached;
        run.cancel('user');
        await quiet(null);
        expect(await world.types()).not.toContain('CANCELLED');
        jest.advanceTimersByTime(10_000);
        await done;
        await expectEnded(world);
        const types = await world.types();
        gate.open();
        await quiet(null);
        expect(await world.types()).toEqual(types);
      } finally {
        jest.useRealTimers();
      }
    });
  });
});
