import { SystemClock } from '../../src/kernel/clock.js';
import { Redaction } from '../../src/guardrails/redaction/redaction.js';
import { loadConfig } from '../../src/config/load-config.js';
import { LOCAL } from '../support/store/chat-parts.js';
import { RequestExpiry } from '../../src/approvals/request-expiry.js';
import { RequestsService } from '../../src/approvals/requests.service.js';
import { Telemetry } from '../../src/telemetry/telemetry.js';
import { RunWaker } from '../../src/event-log/live/run-waker.js';
import type { RequestRow, Settlement } from '../../src/persistence/rows/request-rows.js';
import { LocalLiveBus } from '../../src/event-log/live/local/local-live-bus.js';
import { LocalRunQueue } from '../../src/queue/local/local-run-queue.js';
import { HELD, newBatch, newRequest, started } from '../contracts/interaction-store/fixtures.js';
import { STORES } from '../e2e/stores.js';
import type { OpenStore } from '../e2e/stores.js';
import { FakeClock } from '../support/fake-clock.js';
import { ALL } from '../support/thoroughness.js';
import { wholeStore } from '../support/store/whole-store.js';
import { MemoryAuditStore } from '../support/store/memory-audit-store.js';

const MINUTE = 60_000;
const YES: Settlement = { kind: 'input', answer: 'yes', by: { kind: 'user', user_id: 'ann' } };

/** What a server does about requests whose time is over, from its start on. */
class Server {
  readonly requests: RequestsService;
  private readonly expiry: RequestExpiry;

  constructor({ requests }: OpenStore['stores'], clock: FakeClock) {
    const bus = new LocalLiveBus();
    const waker = new RunWaker(bus, new LocalRunQueue(0, new SystemClock()));
    const trail = new MemoryAuditStore().trail;
    const redaction = new Redaction(loadConfig({}));
    this.requests = new RequestsService(
      requests,
      waker,
      bus,
      clock,
      trail,
      redaction,
      new Telemetry(),
    );
    this.expiry = new RequestExpiry(requests, this.requests, clock);
  }

  expire(): Promise<void> {
    return this.expiry.expire();
  }
}

describe('A request whose time was over while the server was down', () => {
  for (const kind of STORES.filter(({ name }) => ALL || name === 'files'))
    (kind.fault ? describe.skip : describe)(`on ${kind.name}`, () => {
      let opened: OpenStore;
      let clock: FakeClock;
      beforeAll(async () => {
        opened = await kind.open();
      });
      afterAll(() => opened.close());
      beforeEach(() => {
        clock = new FakeClock();
      });

      /** A question that is asked now and stays open for half a minute. */
      const ask = async (): Promise<RequestRow> => {
        const store = wholeStore(opened.stores);
        const { id } = await started(store, { lease: HELD });
        const now = clock.now();
        const request = newRequest(2, {
          created_at: now.toISOString(),
          expires_at: new Date(now.getTime() + MINUTE / 2).toISOString(),
        });
        await store.append([newBatch(id, [2, 2], { requests: [request] })]);
        return (await store.findRequest(request.id))!;
      };
      const settlementOf = async ({ id }: RequestRow) =>
        (await opened.stores.requests.findRequest(id, LOCAL))!.settlement;
      const restartLater = async (): Promise<Server> => {
        await opened.reopen();
        clock.pass(60 * MINUTE);
        return new Server(opened.stores, clock);
      };

      it('can still be answered for a minute after the start', async () => {
        const request = await ask();
        const server = await restartLater();
        await server.expire();
        clock.pass(MINUTE - 1);
        await server.expire();
        expect(await settlementOf(request)).toBeNull();
        await server.requests.settle(LOCAL, request, YES);
        expect(await settlementOf(request)).toEqual(YES);
      });

      it('is over after that minute, for whoever answers and by itself', async () => {
        const request = await ask();
        const server = await restartLater();
        clock.pass(MINUTE);
        await expect(server.requests.settle(LOCAL, request, YES)).rejects.toMatchObject({
          code: 'request_expired',
        });
        expect(await settlementOf(request)).toBeNull();
        await server.expire();
        expect(await settlementOf(request)).toEqual({
          kind: 'input',
          answer: null,
          by: { kind: 'system' },
          cause: 'timeout',
        });
      });

      it('gets no minute more when it was asked after the start', async () => {
        const server = await restartLater();
        const request = await ask();
        clock.pass(MINUTE / 2);
        await server.expire();
        expect(await settlementOf(request)).toMatchObject({
          by: { kind: 'system' },
          cause: 'timeout',
        });
      });
    });
});
