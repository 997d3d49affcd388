import type { AgentContext } from '../agents/agent-context.js';
import { ReactAgent } from '../agents/kinds/react/react.agent.js';
import type { Settlement } from '../persistence/rows/request-rows.js';
import { AskingJudge } from '../../test/support/runs/asking-judge.js';
import { expectEnded } from '../../test/support/client/expect-ended.js';
import { FakeTool } from '../../test/support/tools/fake-tool.js';
import { Gate } from '../../test/support/gate.js';
import { answerTurn, callTurn } from '../../test/support/model/model-events.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import { ScriptedProvider } from '../../test/support/model/scripted-provider.js';
import { Run } from './run.js';

const CALL = { id: 'c1', name: 'tool', arguments: '{}' };
const APPROVED: Settlement = {
  kind: 'approval',
  approved: true,
  by: { kind: 'user', user_id: 'ann' },
};
const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

const requestsOf = ({ store, interactionId: interaction_id }: RunWorld) =>
  store.listRequests({ interaction_id, limit: 99 });

describe(Run.name, () => {
  describe('whose tool ends without the answer that it asked for', () => {
    const provider = () => ScriptedProvider.playing(callTurn([CALL]), answerTurn('Done'));

    it('closes the question before it tells the result', async () => {
      let asked: Promise<string | null> | undefined;
      const tool = new FakeTool('tool', (_, { ask }) => {
        asked = ask('Well?');
        return 'Never mind.';
      });
      const world = await RunWorld.open({ agent: react, provider: provider(), tools: [tool] });
      await world.run();
      await expectEnded(world);
      expect((await world.row()).status).toBe('COMPLETED');
      const types = await world.types();
      expect(types.slice(types.indexOf('INPUT_REQUIRED')).slice(0, 3)).toEqual([
        'INPUT_REQUIRED',
        'INPUT_RECEIVED',
        'TOOL_RESULT',
      ]);
      expect(await asked).toBeNull();
      expect(await requestsOf(world)).toMatchObject([
        {
          status: 'settled',
          settlement: { answer: null, by: { kind: 'system' }, cause: 'cancel' },
        },
      ]);
    });

    it('asks nothing more for it', async () => {
      const over = new Gate();
      const tool = new FakeTool('tool', (_, { ask }) => {
        void over.reached.then(() => ask('Still there?'));
        return 'Bye.';
      });
      const agent = async (ctx: AgentContext): Promise<void> => {
        const { tool_calls } = await ctx.generate();
        await ctx.callTools(tool_calls);
        void over.pass();
        await ctx.generate();
      };
      const world = await RunWorld.open({ agent, provider: provider(), tools: [tool] });
      await world.run();
      await expectEnded(world);
      expect(await requestsOf(world)).toEqual([]);
    });

    it('closes the question of a tool that was lost with its process', async () => {
      let run: Run | undefined;
      const tool = new FakeTool('tool', (_, { ask }) => ask('Well?').then(String));
      const world = await RunWorld.open({ agent: react, provider: provider(), tools: [tool] });
      run = await world.takeUp({
        append: async (batches) => {
          const outcomes = await world.store.append(batches);
          if (batches.some(({ requests }) => requests)) queueMicrotask(() => run!.lose());
          return outcomes;
        },
      });
      await run!.execute();
      await world.run();
      await expectEnded(world);
      expect((await world.row()).status).toBe('COMPLETED');
      expect(await requestsOf(world)).toMatchObject([{ status: 'settled' }]);
      expect(await world.all('TOOL_RESULT')).toMatchObject([
        { is_error: true, tool_output: expect.stringContaining('unknown') },
      ]);
    });
  });

  describe('whose agent does not wait for an approval', () => {
    const ends: [string, string, () => void][] = [
      ['returns', 'COMPLETED', () => {}],
      [
        'throws',
        'FAILED',
        () => {
          throw new Error('enough');
        },
      ],
    ];
    it.each(ends)('tells the verdict that came just before it %s', async (_, status, end) => {
      let world: RunWorld;
      const decide = async (n: number) => {
        const { id } = (await requestsOf(world))[n]!;
        const at = new Date().toISOString();
        return world.store.settleRequest({ request_id: id, settlement: APPROVED, at });
      };
      const agent = async (ctx: AgentContext): Promise<void> => {
        const { tool_calls } = await ctx.generate();
        void ctx.callTools(tool_calls);
        await ctx.notice('busy', 'Asking');
        await ctx.notice('busy', 'Still asking');
        expect(await decide(0)).toMatchObject({ outcome: 'settled' }); // and nobody tells the run
        end();
      };
      const provider = ScriptedProvider.playing(callTurn([CALL, { ...CALL, id: 'c2' }]));
      const tools = [new FakeTool('tool', () => 'never')];
      const judge = new AskingJudge();
      world = await RunWorld.open({ agent, provider, tools, judge });
      await world.run();
      await expectEnded(world);
      expect((await world.row()).status).toBe(status);
      expect(await world.all('APPROVED')).toMatchObject([
        { by: { kind: 'user', user_id: 'ann' }, tool_call_id: 'c1' },
      ]);
      expect(await world.all('REJECTED')).toMatchObject([
        { by: { kind: 'system' }, cause: 'cancel', tool_call_id: 'c2' },
      ]);
      expect(await decide(1)).toEqual({ outcome: 'settled_before' });
      for (const { tool_output } of await world.all('TOOL_RESULT'))
        expect(tool_output).toContain('The tool was not started.');
    });
  });

  describe('whose agent does not wait for a tool that its client runs', () => {
    const client_tools = [{ name: 'tool', description: 'The client’s.', input_schema: {} }];
    const OPENED: Settlement = {
      ...{ kind: 'tool', tool_output: 'o'.repeat(40_000), is_error: false },
      by: { kind: 'user', user_id: 'ann' },
    };
    const throwing = (): void => {
      throw new Error('enough');
    };
    const cancel = async ({ store, interactionId }: RunWorld, run: Run): Promise<void> => {
      await store.requestCancel(interactionId, 'enough');
      run.cancel('enough');
    };
    const ends: [string, string, (world: RunWorld, run: Run) => unknown][] = [
      ['returns', 'COMPLETED', () => {}],
      ['throws', 'FAILED', throwing],
      ['is cancelled', 'CANCELLED', cancel],
    ];

    it.each(ends)('tells the result that came just before it %s', async (_, status, end) => {
      let world: RunWorld;
      const settle = async (n: number) => {
        const { id } = (await requestsOf(world))[n]!;
        const at = new Date().toISOString();
        return world.store.settleRequest({ request_id: id, settlement: OPENED, at });
      };
      const agent = async (ctx: AgentContext): Promise<void> => {
        const { tool_calls } = await ctx.generate();
        void ctx.callTools(tool_calls);
        await ctx.notice('busy', 'Asking');
        await ctx.notice('busy', 'Still asking');
        expect(await settle(0)).toMatchObject({ outcome: 'settled' }); // and nobody tells the run
        await end(world, run!);
      };
      const provider = ScriptedProvider.playing(callTurn([CALL, { ...CALL, id: 'c2' }]));
      world = await RunWorld.open({ agent, provider, client_tools });
      const run = await world.takeUp();
      await run!.execute();
      await expectEnded(world);
      expect((await world.row()).status).toBe(status);
      const [sent, missing] = await world.all('TOOL_RESULT');
      expect(sent).toMatchObject({ id: 'c1', is_error: false, truncated: true });
      expect(sent!.tool_output.length).toBeLessThanOrEqual(30_000);
      expect(missing).toMatchObject({ id: 'c2', is_error: true });
      expect(missing!.tool_output).toContain('it may have run it');
      expect(await settle(1)).not.toMatchObject({ outcome: 'settled' });
    });
  });
});
