import { NoTracer } from '../tracing/tracer.js';
import { endBatch, HELD, started } from '../../test/contracts/interaction-store/fixtures.js';
import { eventually } from '../../test/support/eventually.js';
import { MovableClock } from '../../test/support/movable-clock.js';
import { Gate } from '../../test/support/gate.js';
import { wholeStore } from '../../test/support/store/whole-store.js';
import { loadConfig } from '../config/load-config.js';
import { openMemoryStores } from '../storage/memory/memory-stores.js';
import type { MemoryWebhookOutbox } from '../storage/memory/memory-webhook-outbox.js';
import { ReceiverHealth } from './receiver-health.js';
import { WebhookBodies } from './webhook-bodies.js';
import { retryDelay, WebhookDispatcher } from './webhook-dispatcher.js';
import { Telemetry } from '../telemetry/telemetry.js';
import type { WebhookOutcome } from '../telemetry/telemetry-events.js';
import type { WebhookSender } from './webhook-sender.js';

const WEBHOOKS = { WEBHOOK_URL: 'https://example.com', WEBHOOK_SECRET: 'sixteen-or-more!' };

describe(WebhookDispatcher.name, () => {
  it('sends 8 at a time, and all of them before it looks again', async () => {
    const { dispatcher, end, sent, gate, outbox } = world();
    for (let n = 0; n < 20; n++) await end();
    dispatcher.onApplicationBootstrap();
    await eventually(() => sent.length === 8);
    await new Promise(setImmediate);
    expect(sent).toHaveLength(8);
    gate.open();
    await eventually(async () => (await outbox.count()).waiting === 0);
    expect(new Set(sent).size).toBe(20);
    await dispatcher.onApplicationShutdown();
  });

  it('gives back at a shutdown what is being sent', async () => {
    const { dispatcher, end, sent, outbox, clock } = world();
    const id = await end();
    dispatcher.onApplicationBootstrap();
    await eventually(() => sent.length === 1);
    await dispatcher.onApplicationShutdown();
    const at = clock.now().toISOString();
    expect(await outbox.claim({ at, until: at, limit: 5 })).toMatchObject([{ id, attempts: 2 }]);
  });

  it('keeps no more than 10,000', async () => {
    const { dispatcher, end, outbox, ended } = world();
    const interaction_id = (await end()).slice(0, -2);
    const created_at = '2026-01-15T10:00:00.000Z';
    const others = Array.from({ length: 10_001 }, (_, n) => {
      const id = `${interaction_id}.${n + 3}`;
      return { id, type: 'interaction_complete', interaction_id, created_at } as const;
    });
    (await outbox.prepare(others))();
    dispatcher.onApplicationBootstrap();
    await eventually(async () => (await outbox.count()).waiting === 10_000);
    expect(ended).toEqual({ dropped: 2 });
    await dispatcher.onApplicationShutdown();
  });

  it('does nothing where clients are answered, and without a URL', async () => {
    const shared = {
      DATABASE_URL: 'postgres://host/db',
      REDIS_URL: 'redis://host',
      FILES_DIR: '/files',
    };
    for (const env of [{ ...WEBHOOKS, ...shared, ROLE: 'api' }, {}]) {
      const { dispatcher, end, sent, clock, outbox } = world(env);
      await end();
      dispatcher.onApplicationBootstrap();
      clock.pass(10_000);
      await new Promise(setImmediate);
      expect([sent, await outbox.count()]).toEqual([[], { waiting: 1, failed: 0 }]);
      await dispatcher.onApplicationShutdown();
    }
  });
});

describe(retryDelay.name, () => {
  it.each([
    [1, 2_500, 5_000],
    [2, 5_000, 10_000],
    [5, 40_000, 80_000],
    [11, 1_800_000, 3_600_000],
    [2_000, 1_800_000, 3_600_000],
  ])('is from %s failures on between %s and %s ms', (attempts, least, most) => {
    expect([retryDelay(attempts, 0), retryDelay(attempts, 1)]).toEqual([least, most]);
  });
});

/** A dispatcher over a store in memory, whose sender waits for a gate. */
function world(env: Record<string, string> = WEBHOOKS) {
  const clock = new MovableClock();
  const stores = openMemoryStores(clock);
  const { interactions, requests, records } = stores;
  const outbox = stores.webhooks as MemoryWebhookOutbox;
  const store = wholeStore(stores);
  const gate = new Gate();
  const sent: string[] = [];
  const ended: Partial<Record<WebhookOutcome, number>> = {};
  const sender: Pick<WebhookSender, 'send'> = {
    async send(id, _body, stopping) {
      sent.push(id);
      const stopped = new Promise<string>((resolve) => {
        const stop = (): void => resolve('not reached (AbortError)');
        if (stopping.aborted) stop();
        AbortSignal.any([stopping]).addEventListener('abort', stop);
      });
      return Promise.race([gate.pass().then(() => undefined), stopped]);
    },
  };
  const telemetry = new Telemetry();
  telemetry.on('webhook_ended', ({ outcome, count }) => {
    ended[outcome] = (ended[outcome] ?? 0) + count;
  });
  const dispatcher = new WebhookDispatcher(
    outbox,
    new WebhookBodies(interactions, requests, records, new NoTracer()),
    sender as WebhookSender,
    new ReceiverHealth(clock),
    telemetry,
    loadConfig(env),
    clock,
  );
  /** Ends an interaction; returns the id of its entry. */
  const end = async (): Promise<string> => {
    const { id } = await started(store, { lease: HELD });
    await store.append([{ ...endBatch(id, 2), announce: true }]);
    return `${id}.2`;
  };
  return { dispatcher, end, sent, gate, outbox, clock, ended };
}
