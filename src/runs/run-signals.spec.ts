import type { AgentContext } from '../agents/agent-context.js';
import { Gate } from '../../test/support/gate.js';
import { aborted, quiet } from '../../test/support/quiet.js';
import { RunSlots } from '../queue/local/run-slots.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import { RunSignals } from './run-signals.js';

/** Of a person; nobody tells the run. */
async function answer({ store }: RunWorld, request_id: string): Promise<void> {
  await store.settleRequest({
    request_id,
    settlement: { kind: 'input', answer: 'Yes.', by: { kind: 'user', user_id: 'ann' } },
    at: new Date().toISOString(),
  });
}

/** A run that asks, and has given back the only slot. */
async function asking(slots: RunSlots) {
  const got: (string | null)[] = [];
  const world = await RunWorld.open({
    agent: async (ctx) => void got.push(await ctx.ask('Well?')),
  });
  const run = (await world.takeUp({ slot: slots.lend() }))!;
  const executed = run.execute();
  while (slots.isFull || !(await world.types()).includes('INPUT_REQUIRED'))
    await quiet(undefined, 1);
  const [asked] = await world.all('INPUT_REQUIRED');
  return { world, run, executed, got, request_id: asked!.request_id };
}

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
  });

  it('does not park a run while its agent has not got all that is in the log (I3)', async () => {
    const got: (string | null)[] = [];
    const world = await RunWorld.open({
      agent: async (ctx) => {
        await Promise.all(['One?', 'Two?'].map(async (each) => got.push(await ctx.ask(each))));
      },
    });
    const run = (await world.takeUp())!;
    const executed = run.execute();
    while ((await world.all('INPUT_REQUIRED')).length < 2) await quiet(undefined, 1);
    const [asked] = await world.all('INPUT_REQUIRED');
    const parked = new Promise<boolean>((resolve) => {
      world.bus.frames(world.interactionId).subscribe(({ items }) => {
        // before the journal delivers it, one turn of the event loop later
        if (JSON.stringify(items).includes('INPUT_RECEIVED'))
          setImmediate(() => resolve(run.signals.park()));
      });
    });
    await answer(world, asked!.request_id);
    await run.signals.wake();
    expect(await parked).toBe(false);
    await quiet(undefined);
    expect(got).toEqual(['Yes.']);
    run.lose();
    await executed;
  });

  it('takes in the signal that kept it from parking', async () => {
    let got: string | null = null;
    const world = await RunWorld.open({
      agent: async (ctx) => void (got = await ctx.ask('Well?')),
    });
    const run = (await world.takeUp())!;
    const executed = run.execute();
    while (!(await world.types()).includes('INPUT_REQUIRED')) await quiet(undefined, 1);
    const [asked] = await world.all('INPUT_REQUIRED');
    await answer(world, asked!.request_id);
    expect(await run.signals.park()).toBe(false);
    await quiet(undefined);
    expect(got).toBe('Yes.');
    run.lose();
    await executed;
  });

  it('leaves to the next run what comes while it is being parked (I11)', async () => {
    const got: (string | null)[] = [];
    const world = await RunWorld.open({
      agent: async (ctx) => void got.push(await ctx.ask('Well?')),
    });
    const run = (await world.takeUp())!;
    const executed = run.execute();
    while (!(await world.types()).includes('INPUT_REQUIRED')) await quiet(undefined, 1);
    const { store } = world;
    const gate = new Gate();
    const park = store.park.bind(store);
    store.park = async (lease) => {
      const isParked = await park(lease);
      await gate.pass(); // nobody has heard of it yet
      return isParked;
    };
    const parked = run.signals.park();
    await gate.reached;
    await answer(world, (await world.all('INPUT_REQUIRED'))[0]!.request_id);
    const woken = run.signals.wake();
    await quiet(undefined);
    expect(got).toEqual([]);
    gate.open();
    expect(await parked).toBe(true);
    await Promise.all([woken, executed]);
    expect(await world.types()).not.toContain('INPUT_RECEIVED');
    await world.run();
    expect(got).toEqual(['Yes.']);
    expect((await world.row()).status).toBe('COMPLETED');
  });

  it('does not miss a signal that comes while it looks', async () => {
    const { world, run, executed, got, request_id } = await asking(new RunSlots(1, () => {}));
    const { store } = world;
    const gate = new Gate();
    const find = store.findInteraction.bind(store);
    store.findInteraction = async (id) => {
      const row = await find(id);
      await gate.pass();
      return row;
    };
    const looked = run.signals.wake();
    await gate.reached;
    await answer(world, request_id);
    const again = run.signals.wake();
    gate.open();
    await Promise.all([looked, again]);
    await quiet(undefined);
    expect(got).toEqual(['Yes.']);
    run.lose();
    await executed;
  });

  it('takes in an answer once there is room for the run', async () => {
    const slots = new RunSlots(1, () => {});
    const { world, run, executed, got, request_id } = await asking(slots);
    const other = slots.lend();
    await answer(world, request_id);
    await run.signals.wake();
    await quiet(undefined);
    expect(got).toEqual([]);
    other.end();
    await executed;
    expect(got).toEqual(['Yes.']);
  });

  it('keeps no slot for a signal that leaves the run waiting (I11)', async () => {
    const slots = new RunSlots(1, () => {});
    const { world, run, executed } = await asking(slots);
    const row = await world.row();
    const { outcome } = await world.store.intervene({
      ...{ id: 'note_1', interaction_id: row.id, agent_id: world.rootId, created_by: 'ann' },
      ...{ user_comment: 'Hurry.', user_content: null, redacted: null },
      created_at: row.created_at,
    });
    expect(outcome).toBe('accepted');
    await run.signals.wake();
    expect(slots.isFull).toBe(false);
    run.lose();
    await executed;
  });

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
