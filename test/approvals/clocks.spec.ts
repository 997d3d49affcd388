import { SystemClock } from '../../src/kernel/clock.js';
import { Redaction } from '../../src/guardrails/redaction/redaction.js';
import { loadConfig } from '../../src/config/load-config.js';
import { LOCAL } from '../support/store/chat-parts.js';
import { jest } from '@jest/globals';
import { RequestExpiry } from '../../src/approvals/request-expiry.js';
import { RequestsService } from '../../src/approvals/requests.service.js';
import { Telemetry } from '../../src/telemetry/telemetry.js';
import { LocalLiveBus } from '../../src/event-log/live/local/local-live-bus.js';
import { RunWaker } from '../../src/event-log/live/run-waker.js';
import type { RequestRow } from '../../src/persistence/rows/request-rows.js';
import { LocalRunQueue } from '../../src/queue/local/local-run-queue.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { createStores } from '../../src/storage/typeorm/create-stores.js';
import { HELD, newBatch, newRequest, started } from '../contracts/interaction-store/fixtures.js';
import { MovableClock } from '../support/movable-clock.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import { MemoryAuditStore } from '../support/store/memory-audit-store.js';

const fault = await findPostgresFault();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

(fault ? describe.skip : describe)('A host whose clock is an hour ahead', () => {
  let opened: Awaited<ReturnType<typeof openTestPostgres>>;
  let database: Database;
  const clock = new MovableClock();

  beforeAll(async () => {
    opened = await openTestPostgres();
    const rightTime = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => rightTime() + HOUR);
    database = await openDatabase({ url: opened.url, dataDir: '', migrate: false, clock });
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await database.close();
    await opened.close();
  });

  /** A question that another host asked, to be answered within half an hour. */
  const ask = async (): Promise<RequestRow> => {
    const store = typeOrmStore(opened.database);
    const { id } = await started(store, { lease: HELD });
    const now = new Date().getTime();
    const request = newRequest(2, {
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + HOUR / 2).toISOString(),
    });
    await store.append([newBatch(id, [2, 2], { requests: [request] })]);
    return (await store.findRequest(request.id))!;
  };

  it('lets the requests of others expire by the clock of the database', async () => {
    const { requests } = createStores(database);
    const bus = new LocalLiveBus();
    const waker = new RunWaker(bus, new LocalRunQueue(0, new SystemClock()));
    const trail = new MemoryAuditStore().trail;
    const redaction = new Redaction(loadConfig({}));
    const service = new RequestsService(
      requests,
      waker,
      bus,
      clock,
      trail,
      redaction,
      new Telemetry(),
    );
    const expiry = new RequestExpiry(requests, service, clock);
    const [answered, forgotten] = [await ask(), await ask()];
    clock.pass(2 * MINUTE); // after what a restart grants to everybody
    await expiry.expire();
    await service.settle(LOCAL, answered, {
      kind: 'input',
      answer: 'yes',
      by: { kind: 'user', user_id: 'ann' },
    });
    expect(await requests.findRequest(answered.id, LOCAL)).toMatchObject({
      settlement: { answer: 'yes', by: { kind: 'user', user_id: 'ann' } },
    });
    expect(await requests.findRequest(forgotten.id, LOCAL)).toMatchObject({ status: 'pending' });
    clock.pass(HOUR / 2);
    await expiry.expire();
    expect(await requests.findRequest(forgotten.id, LOCAL)).toMatchObject({
      settlement: { by: { kind: 'system' }, cause: 'timeout' },
    });
  });
});
