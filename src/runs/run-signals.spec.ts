import type { AgentContext } from '../agents/agent-context.js';
import { Gate } from '../../test/support/gate.js';
import { aborted } from '../../test/support/quiet.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import { RunSignals } from './run-signals.js';

describe(RunSignals.name, () => {
  it('leaves it to the next lease renewal if the store is away', async () => {
    const gate = new Gate();
    const world = await RunWorld.open({
      agent: async (ctx) => {
        void gate.pass();
        await aborted(ctx.signal);
      },
    });
    const run = (await world.takeUp())!;
    const executed = run.execute();
    await gate.reached;
    const { store, interactionId } = world;
    await store.requestCancel(interactionId, 'user');
    const find = store.findInteraction.bind(store);
    store.findInteraction = () => Promise.reject(new Error('connection refused'));
    await run.signals.wake();
    store.findInteraction = find;
    expect((await world.row()).status).toBe('RUNNING');
    run.signals.renewed({ signals: 1, cancel_reason: 'user', cancelled_by: null });
    await executed;
    expect((await world.row()).status).toBe('CANCELLED');
  });

  it('ends a run that it parks, without a lease renewal (I11)', async () => {
    const agent = async (ctx: AgentContext): Promise<void> => void (await ctx.ask('Well?'));
    const world = await RunWorld.open({ agent, env: { PARK_AFTER_MS: '0' } });
    const run = (await world.takeUp())!;
    await run.execute();
    expect(run.holdsLease).toBe(false);
    expect((await world.row()).status).toBe('WAITING_INPUT');
    expect(await world.takeUp()).toBeUndefined();
  }, 10_000);

  it('takes in nothing when a renewal has no new signal', async () => {
    const world = await RunWorld.open({ agent: (ctx) => aborted(ctx.signal) });
    const run = (await world.takeUp())!;
    const executed = run.execute();
    const { store } = world;
    let reads = 0;
    const find = store.findInteraction.bind(store);
    store.findInteraction = (id) => {
      reads++;
      return find(id);
    };
    run.signals.renewed({ signals: 0, cancel_reason: null, cancelled_by: null });
    expect(reads).toBe(0);
    await run.signals.wake();
    expect(reads).toBe(1);
    run.lose();
    await executed;
  });
});
