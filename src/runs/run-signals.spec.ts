import { Gate } from '../../test/support/gate.js';
import { aborted } from '../../test/support/quiet.js';
import { RunWorld } from '../../test/support/run-world.js';
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
    run.signals.renewed({ interaction_id: interactionId, signals: 1, cancel_reason: 'user' });
    await executed;
    expect((await world.row()).status).toBe('CANCELLED');
  });

  it('takes in nothing when a renewal has no new signal', async () => {
    const world = await RunWorld.open({ agent: (ctx) => aborted(ctx.signal) });
    const run = (await world.takeUp())!;
    const executed = run.execute();
    const { store, interactionId: interaction_id } = world;
    let reads = 0;
    const find = store.findInteraction.bind(store);
    store.findInteraction = (id) => {
      reads++;
      return find(id);
    };
    run.signals.renewed({ interaction_id, signals: 0, cancel_reason: null });
    expect(reads).toBe(0);
    await run.signals.wake();
    expect(reads).toBe(1);
    run.lose();
    await executed;
  });
});
