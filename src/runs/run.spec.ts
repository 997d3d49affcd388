import { getMaxListeners } from 'node:events';
import type { AgentContext } from '../agents/agent-context.js';
import { ReactAgent } from '../agents/kinds/react/react.agent.js';
import { AppError } from '../kernel/app-error.js';
import { expectEnded } from '../../test/support/client/expect-ended.js';
import { FakeTool } from '../../test/support/tools/fake-tool.js';
import { Gate } from '../../test/support/gate.js';
import {
  answerTurn,
  callTurn,
  completed,
  textDelta,
} from '../../test/support/model/model-events.js';
import { aborted, quiet } from '../../test/support/quiet.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import type { RunWorldOptions } from '../../test/support/runs/run-world.js';
import { ScriptedProvider } from '../../test/support/model/scripted-provider.js';
import { Run } from './run.js';

const CALL = { id: 'c1', name: 'tool', arguments: '{}' };
const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

async function ran(options: RunWorldOptions): Promise<RunWorld> {
  const world = await RunWorld.open(options);
  await world.run();
  await expectEnded(world);
  return world;
}

describe(Run.name, () => {
  describe('of an agent that returns', () => {
    it('makes the returned text the answer', async () => {
      const world = await ran({ agent: async () => 'Done' });
      expect(await world.all('ANSWER')).toMatchObject([{ content: 'Done' }]);
      expect(await world.messages()).toEqual([
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Done' },
      ]);
      expect(await world.row()).toMatchObject({ status: 'COMPLETED', error: null });
    });

    it('does not repeat the last answer', async () => {
      const world = await ran({ agent: async (ctx) => (await ctx.generate()).text });
      expect(await world.all('ANSWER')).toMatchObject([{ content: 'Hi' }]);
      expect(await world.messages()).toHaveLength(2);
    });

    it.each([undefined, '', 42, null])('takes %p for no answer', async (value) => {
      const world = await ran({ agent: async () => value as string });
      expect(await world.types()).toEqual(['INTERACTION_STARTED', 'INTERACTION_COMPLETE']);
    });

    it('stops what it did not wait for', async () => {
      const streaming = new Gate();
      const provider = new ScriptedProvider(async function* (_, signal) {
        yield textDelta('Never seen to its ');
        await Promise.race([streaming.pass(), aborted(signal)]);
        signal.throwIfAborted();
        yield completed('end');
      });
      const agent = async (ctx: AgentContext): Promise<string> => {
        void ctx.generate();
        await streaming.reached;
        return 'Done';
      };
      const world = await ran({ agent, provider });
      expect(await world.types()).toEqual([
        ...['INTERACTION_STARTED', 'ANSWER', 'INTERACTION_COMPLETE'],
      ]);
    });

    it('gives a result to calls that it did not make', async () => {
      const provider = ScriptedProvider.playing(callTurn([CALL, { ...CALL, id: 'c2' }]));
      const world = await ran({ provider, agent: async (ctx) => void (await ctx.generate()) });
      const results = await world.all('TOOL_RESULT');
      expect(results.map(({ id, is_error }) => [id, is_error])).toEqual([
        ['c1', true],
        ['c2', true],
      ]);
      expect(results[0]?.tool_output).toContain('The tool was not started.');
    });

    it('lets its context do nothing more', async () => {
      let kept: AgentContext | undefined;
      const world = await ran({
        agent: async (ctx) => {
          kept = ctx;
        },
      });
      const before = await world.types();
      const late = [kept!.say('Late'), kept!.generate(), kept!.step('late', () => 1)];
      const settled = await Promise.race([...late, quiet('still waiting')]);
      expect(settled).toBe('still waiting');
      expect(await world.types()).toEqual(before);
    });
  });

  describe('of an agent that fails', () => {
    it('tells the code of a known error', async () => {
      const error = new AppError('unavailable', 'no_luck', 'Try tomorrow.');
      const world = await ran({
        agent: async () => {
          throw error;
        },
      });
      expect(await world.all('ERROR')).toMatchObject([
        { code: 'no_luck', message: 'Try tomorrow.' },
      ]);
      expect(await world.row()).toMatchObject({ status: 'FAILED', error: { code: 'no_luck' } });
      expect(world.errors).toEqual([]);
    });

    const hostile = Object.create(null) as object;
    const lying = new Error('x');
    Object.defineProperty(lying, 'message', {
      get() {
        throw new Error('no message for you');
      },
    });
    it.each([
      ['an error', new Error('Oops'), 'The agent failed: Oops'],
      ['text', 'Oops', 'The agent failed: Oops'],
      ['nothing', undefined, 'The agent failed: '],
      ['a symbol', Symbol('s'), 'The agent failed: '],
      ['an object without a prototype', hostile, 'The agent failed: '],
      ['an error that can not tell', lying, 'The agent failed: '],
      ['a very long error', new Error('x'.repeat(1_000_000)), 'The agent failed: x'],
    ])('ends when it throws %s', async (_, thrown, message) => {
      const world = await ran({
        agent: () => Promise.reject(thrown),
      });
      const { error } = await world.row();
      expect(error?.code).toBe('agent_error');
      expect(error?.message.startsWith(message)).toBe(true);
      expect(error!.message.length).toBeLessThan(20_000);
      expect(world.errors).toHaveLength(1);
    });

    it('ends when it throws before it promises anything', async () => {
      const agent = (): never => {
        throw new Error('Oops');
      };
      const world = await ran({ agent });
      expect((await world.row()).error?.message).toBe('The agent failed: Oops');
    });

    it('gives a result to calls that it did not come to', async () => {
      const agent = async (ctx: AgentContext): Promise<void> => {
        await ctx.generate();
        throw new Error('Oops');
      };
      const world = await ran({ agent, provider: ScriptedProvider.playing(callTurn([CALL])) });
      const [result] = await world.all('TOOL_RESULT');
      expect(result?.tool_output).toContain('The run failed before this tool call finished.');
    });

    it('ends after max_iterations turns', async () => {
      let asked = 0;
      const provider = new ScriptedProvider(() =>
        callTurn([{ ...CALL, arguments: `{"n":${++asked}}` }]),
      );
      const tools = [new FakeTool('tool', () => 'ok', 'rerun')];
      const world = await ran({ agent: react, provider, tools, max_iterations: 3 });
      expect(provider.requests).toHaveLength(3);
      expect(await world.row()).toMatchObject({
        status: 'FAILED',
        error: { code: 'max_iterations' },
      });
    });

    it('keeps a failed step from taking the process down, whoever waits for it', async () => {
      const unhandled: unknown[] = [];
      const listen = (error: unknown): void => void unhandled.push(error);
      process.on('unhandledRejection', listen);
      const provider = ScriptedProvider.playing(answerTurn('Hi'));
      await ran({
        provider,
        agent: async (ctx) => {
          void ctx.generate({ model: 'nobody/nothing' });
          void ctx.step('broken', () => {
            throw new Error('Oops');
          });
          await ctx.say('One');
          await ctx.say('Two');
          await ctx.step('later', () => quiet(null));
        },
      });
      await quiet(null);
      process.off('unhandledRejection', listen);
      expect(unhandled).toEqual([]);
    });
  });

  describe('with steps', () => {
    it('gives back what JSON makes of a value, live as replayed', async () => {
      const values: unknown[] = [];
      await ran({
        agent: async (ctx) => {
          values.push(await ctx.step('date', () => new Date(0)));
          values.push(await ctx.step('nothing', () => {}));
        },
      });
      expect(values).toEqual(['1970-01-01T00:00:00.000Z', undefined]);
    });

    it.each([
      ['context_in_step', (ctx: AgentContext) => ctx.say('inside'), 'ctx was used inside'],
      ['too large', () => 'x'.repeat(1_000_001), 'more than 1000000 characters'],
      ['no JSON', () => 1n, 'BigInt'],
    ])('fails a step: %s', async (_, fn, message) => {
      const world = await ran({
        agent: (ctx) => ctx.step<unknown>('s', () => fn(ctx)) as Promise<never>,
      });
      const { error } = await world.row();
      expect(error?.code).toBe('step_failed');
      expect(error?.message).toContain(message);
      expect(await world.all('MESSAGE')).toEqual([]);
    });

    it('refuses a call that is not open, or open twice', async () => {
      const codes: string[] = [];
      const provider = ScriptedProvider.playing(callTurn([CALL]));
      const tools = [new FakeTool('tool', () => 'ok')];
      await ran({
        provider,
        tools,
        agent: async (ctx) => {
          const { tool_calls } = await ctx.generate();
          await ctx.callTools(tool_calls);
          for (const calls of [tool_calls, [{ ...tool_calls[0]!, id: 'other' }]])
            try {
              await ctx.callTools(calls);
            } catch (error) {
              codes.push((error as AppError).code);
            }
        },
      });
      expect(codes).toEqual(['unknown_tool_call', 'unknown_tool_call']);
    });
  });

  it('runs the calls of a turn at once, and answers in their order', async () => {
    const first = new Gate();
    const tools = [
      new FakeTool('tool', async ({ wait }) => {
        if (wait === true) await first.pass();
        else first.open();
        return wait === true ? 'waited' : 'opened';
      }),
    ];
    const calls = [
      { ...CALL, arguments: '{"wait":true}' },
      { ...CALL, id: 'c2' },
    ];
    const outputs: string[] = [];
    const world = await ran({
      tools,
      provider: ScriptedProvider.playing(callTurn(calls)),
      agent: async (ctx) => {
        const { tool_calls } = await ctx.generate();
        for (const { output } of await ctx.callTools(tool_calls)) outputs.push(output);
      },
    });
    expect(outputs).toEqual(['waited', 'opened']);
    expect((await world.all('TOOL_RESULT')).map(({ id }) => id)).toEqual(['c2', 'c1']);
    expect((await world.messages())!.slice(2)).toMatchObject([
      { tool_call_id: 'c1', content: 'waited' },
      { tool_call_id: 'c2', content: 'opened' },
    ]);
  });

  it('lets any number of effects listen for a stop, without a warning', async () => {
    let limit: number | undefined;
    await ran({
      agent: async (ctx) => {
        limit = getMaxListeners(ctx.signal);
      },
    });
    expect(limit).toBe(Infinity);
  });
});
