import type { AgentContext } from '../../agents/agent-context.js';
import { ReactAgent } from '../../agents/kinds/react/react.agent.js';
import type { AppendBatch } from '../../persistence/rows/append-rows.js';
import { expectEnded } from '../../../test/support/client/expect-ended.js';
import { answerTurn } from '../../../test/support/model/model-events.js';
import { ScriptedProvider } from '../../../test/support/model/scripted-provider.js';
import { RunWorld } from '../../../test/support/runs/run-world.js';
import type { ProcessOptions } from '../../../test/support/runs/run-world.js';
import { RESUME_REASONS } from '../scope/run-input.js';
import { requireProgress } from './save-loop.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const { lost, stopped, unsaved } = RESUME_REASONS;

function isTurn({ records }: AppendBatch): boolean {
  return records.some(({ body }) => body.type === 'TURN_COMPLETED');
}

/** A process whose turns can't be saved, although the store is well. */
function unable(world: RunWorld, options: ProcessOptions): ProcessOptions {
  const append = (batches: readonly AppendBatch[]) =>
    batches.some(isTurn) ? Promise.reject(new Error('away')) : world.store.append(batches);
  return { ...options, append };
}

describe(requireProgress.name, () => {
  it('bounds the model requests of runs that can not be saved', async () => {
    const provider = ScriptedProvider.playing(...Array(100).fill(answerTurn('Hi')));
    const world = await RunWorld.open({ agent: react, provider });
    let runs = 0;
    for (; runs < 50 && (await world.row()).status === 'RUNNING'; runs++)
      await world.run(unable(world, { resumed: unsaved }));
    expect(await world.row()).toMatchObject({ status: 'FAILED', error: { code: 'save_loop' } });
    expect(provider.requests.length).toBeLessThanOrEqual(20);
    await expectEnded(world);
  });

  it('counts from the last progress on, and neither lost runs nor stops of the server', async () => {
    const provider = ScriptedProvider.playing(...Array(100).fill(answerTurn('Hi')));
    const agent = async (ctx: AgentContext): Promise<void> => {
      await ctx.step('first', () => 1);
      await react(ctx);
    };
    const world = await RunWorld.open({ agent, provider });
    const stop = async (times: number, resumed: string): Promise<void> => {
      for (let i = 0; i < times; i++) await world.run(unable(world, { resumed }));
    };
    await stop(15, unsaved);
    await stop(15, lost);
    await stop(15, stopped);
    expect(await world.row()).toMatchObject({ status: 'RUNNING' });
    await world.run({ resumed: unsaved });
    expect(await world.row()).toMatchObject({ status: 'COMPLETED' });
  });
});
