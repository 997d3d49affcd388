import type { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../auth/principal.js';
import type { DisconnectWatch } from '../../cancellation/disconnect-watch.js';
import type { LiveBus } from '../../event-log/live/live-bus.js';
import type { RunWaker } from '../../event-log/live/run-waker.js';
import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { Started } from '../../persistence/rows/start-rows.js';
import type { RunQueue } from '../../queue/run-queue.js';
import type { LeaseKeeper } from '../../runs/runner/lease-keeper.js';
import type { Runner } from '../../runs/runner/runner.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { RunDispatcher } from './run-dispatcher.js';

const CALLER = {} as Principal;
const TERMS = { owner: 'here', ttl_ms: 15_000 };

/** A dispatcher whose effects are recorded in order, as texts. */
class World {
  readonly effects: string[] = [];
  readonly clock = new FakeClock();
  readonly dispatcher: RunDispatcher;

  constructor({ isImmediate = true, promoted = [] as readonly string[] } = {}) {
    const note = (effect: string) => void this.effects.push(effect);
    this.dispatcher = new RunDispatcher(
      { promoteQueued: async () => promoted } as unknown as InteractionStore,
      { isImmediate, enqueue: (id: string) => note(`enqueue ${id}`) } as unknown as RunQueue,
      {
        runClaimed: ({ interaction }: Started, at: number) => note(`run ${interaction.id} ${at}`),
      } as unknown as Runner,
      { terms: TERMS } as LeaseKeeper,
      { wake: (id: string) => note(`wake ${id}`) } as unknown as RunWaker,
      { expectReader: (id: string) => note(`expect ${id}`) } as unknown as DisconnectWatch,
      { noteChange: () => note('change') } as unknown as LiveBus,
      { note: async (_: Principal, action: string) => note(action) } as unknown as AuditTrail,
      this.clock,
    );
  }
}

function row(on_disconnect: 'cancel' | 'continue' = 'continue'): InteractionRow {
  return { id: 'new', chat_id: 'c', settings: { on_disconnect } } as unknown as InteractionRow;
}

const started = (interaction = row()) => ({ outcome: 'started', interaction }) as Started;

describe(RunDispatcher.name, () => {
  it('claims an interaction only where it would run at once', () => {
    const { dispatcher, clock } = new World();
    expect(dispatcher.claim()).toEqual({ lease: TERMS, leased_at: clock.boottime() });
    expect(new World({ isImmediate: false }).dispatcher.claim()).toBeUndefined();
  });

  it('runs a claimed interaction here, and enqueues another one for any process', async () => {
    const { dispatcher, effects } = new World();
    await dispatcher.dispatch(CALLER, started(), { lease: TERMS, leased_at: 7 });
    expect(effects.splice(0)).toEqual(['change', 'run new 7']);
    await dispatcher.dispatch(CALLER, started(), undefined);
    expect(effects).toEqual(['change', 'enqueue new']);
  });

  it('expects a reader of an interaction that is cancelled without one', async () => {
    const { dispatcher, effects } = new World();
    await dispatcher.dispatch(CALLER, started(row('cancel')), undefined);
    expect(effects).toEqual(['change', 'expect new', 'enqueue new']);
  });

  it('wakes the run that a queued interaction interrupts', async () => {
    const { dispatcher, effects } = new World();
    const queued = { outcome: 'queued', interaction: row(), interrupted: 'old' } as const;
    await dispatcher.dispatch(CALLER, queued, undefined);
    expect(effects).toEqual(['change', 'interaction.cancelled', 'wake old']);
  });

  it('enqueues a queued interaction whose turn has come meanwhile', async () => {
    const { dispatcher, effects } = new World({ promoted: ['new'] });
    const queued = { outcome: 'queued', interaction: row(), interrupted: null } as const;
    await dispatcher.dispatch(CALLER, queued, undefined);
    expect(effects).toEqual(['change', 'enqueue new', 'change']);
  });
});
