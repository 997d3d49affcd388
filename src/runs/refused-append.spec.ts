import type { AgentContext } from '../agents/agent-context.js';
import { ReactAgent } from '../agents/kinds/react/react.agent.js';
import { AppError } from '../kernel/app-error.js';
import { StoreRefused } from '../persistence/store-refused.error.js';
import type { AppendBatch } from '../persistence/rows/append-rows.js';
import type { RecordType } from '../protocol/events.js';
import { expectEnded } from '../../test/support/client/expect-ended.js';
import { answerTurn, callTurn } from '../../test/support/model/model-events.js';
import { ScriptedProvider } from '../../test/support/model/scripted-provider.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import type { ProcessOptions } from '../../test/support/runs/run-world.js';
import { FakeTool } from '../../test/support/tools/fake-tool.js';
import { Run } from './run.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

function has(batches: readonly AppendBatch[], type: RecordType): boolean {
  return batches.some(({ records }) => records.some(({ body }) => body.type === type));
}

/** A store that takes no record of this type. */
function refusing(world: RunWorld, type: RecordType): NonNullable<ProcessOptions['append']> {
  const refused = new StoreRefused(new AppError('internal', 'store_failed', 'Out of range.'));
  return async (batches) =>
    has(batches, type) ? batches.map(() => refused) : world.store.append(batches);
}

describe(Run.name, () => {
  describe('whose append the store refuses for good', () => {
    it.each(['TURN_COMPLETED', 'TOOL_STARTED', 'TOOL_RESULT', 'ANSWER'] as const)(
      'ends its interaction when that has a %s, and readers see the end',
      async (type) => {
        const call = { id: 'c1', name: 'tool', arguments: '{}' };
        const provider = ScriptedProvider.playing(callTurn([call]), answerTurn('Done'));
        const tools = [new FakeTool('tool', () => 'ok')];
        const world = await RunWorld.open({ agent: react, provider, tools });
        await world.run({ append: refusing(world, type) });
        const asked = provider.requests.length;
        expect(await world.row()).toMatchObject({
          status: 'FAILED',
          error: { code: 'store_refused' },
        });
        expect((await world.types()).slice(-2)).toEqual(['ERROR', 'INTERACTION_COMPLETE']);
        expect(await world.takeUp()).toBeUndefined();
        expect(provider.requests).toHaveLength(asked);
        const frames = world.frames.filter(({ epoch }) => epoch === 1);
        expect(frames.map(({ number }) => number)).toEqual(frames.map((_, i) => i + 1));
        const shown = frames.flatMap(({ items }) => items).at(-1);
        expect(shown).toMatchObject({ record: { body: { type: 'INTERACTION_COMPLETE' } } });
      },
    );

    it('ends its interaction when even the end is refused', async () => {
      const world = await RunWorld.open({ agent: async () => 'Done' });
      await world.run({ append: refusing(world, 'ANSWER') });
      expect(await world.row()).toMatchObject({ error: { code: 'store_refused' } });
      await expectEnded(world);
    });

    it('leaves the interaction to the next run when nothing can be written', async () => {
      const world = await RunWorld.open({ agent: async () => 'Done' });
      await world.run({ append: refusing(world, 'INTERACTION_COMPLETE') });
      expect(await world.row()).toMatchObject({ status: 'RUNNING' });
      await world.run();
      await expectEnded(world);
    });
  });
});
