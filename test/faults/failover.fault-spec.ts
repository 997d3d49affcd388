import pg from 'pg';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { createStores } from '../../src/storage/typeorm/create-stores.js';
import { EventReader } from '../support/client/event-reader.js';
import type { EventFrame } from '../../client/strict-reader.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { openTcpProxy } from '../support/server/tcp-proxy.js';
import type { TcpProxy } from '../support/server/tcp-proxy.js';
import { TestServer } from '../support/server/test-server.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';
import { allTenants } from '../support/store/all-tenants.js';

const fault = await findPostgresFault();
const TIMES = { SAVE_TIMEOUT_MS: '10000', LEASE_TTL_MS: '3000', HEARTBEAT_MS: '200' };

/**
 * A replica that was promoted without the last commits: the database itself is put back while the
 * server is cut off.
 */
(fault ? describe.skip : describe)('A database that comes back without its last commits', () => {
  let opened: Awaited<ReturnType<typeof openTestPostgres>>;
  let proxy: TcpProxy;
  let database: Database;
  let server: TestServer;
  let admin: pg.Client;

  beforeAll(async () => {
    opened = await openTestPostgres();
    const through = new URL(opened.url);
    proxy = await openTcpProxy({ host: through.hostname, port: Number(through.port || 5432) });
    Object.assign(through, { hostname: '127.0.0.1', port: String(proxy.port) });
    // A cut connection fails at once: no time limit may end one that is only slow.
    const limits = { saveTimeoutMs: 60_000 };
    database = await openDatabase({ url: through.href, dataDir: '', migrate: false, ...limits });
    server = await TestServer.start(createStores(database), { env: TIMES });
    admin = new pg.Client(allTenants(opened.url));
    await admin.connect();
  });
  afterAll(async () => {
    await server.stop();
    await database.close();
    await admin.end();
    await proxy.cut();
    await opened.close();
  });

  /** To the state after the record `seq`, before which a run had the lease or none. */
  const goBack = async (id: string, seq: number, isLeased: boolean): Promise<void> => {
    await proxy.cut();
    await admin.query('DELETE FROM records WHERE interaction_id = $1 AND seq > $2', [id, seq]);
    await admin.query('UPDATE interactions SET last_seq = $2 WHERE id = $1', [id, seq]);
    const release =
      'UPDATE interactions SET epoch = 0, owner = NULL, lease_until = NULL WHERE id = $1';
    if (!isLeased) await admin.query(release, [id]);
    await proxy.restore();
    await eventually(async () => (await server.api.get('/health/ready')).status === 200);
  };

  it.each([
    ['its last records', 5],
    ['all but its start, the lease too', 1],
  ])(
    'has lost %s of a run: readers are told, it stops, and the interaction goes on from there',
    async (_, seq) => {
      const gate = new Gate();
      server.fake.otherwise(({ messages }) => {
        const done = messages.filter(({ role }: { role: string }) => role === 'tool').length;
        const calls = [{ name: 'calculator', arguments: { expression: `6*${done}` } }];
        if (done < 2) return { calls };
        return { text: ['Half', gate, ' and half.'] };
      });
      const of = await server.api.begin(`chat-${seq}`, 'Go');
      const stream = await server.api.events(of);
      const frames: EventFrame[] = [];
      for await (const frame of stream) {
        frames.push(frame);
        if (frame.data.type === 'TEXT_DELTA' && frames.at(-2)?.data.type !== 'TEXT_DELTA')
          await goBack(of.id, seq, seq > 1);
      }
      expect(frames.at(-1)).toMatchObject({
        id: '0',
        event: 'error',
        data: { type: 'ERROR', code: 'log_went_back', agent_id: frames[0]!.data.agent_id },
      });
      gate.open();
      const reader = await server.api.follow(of, undefined, new EventReader());
      expect(reader.faults).toEqual([]);
      expect(reader.records.slice(0, seq)).toEqual(
        frames.flatMap(({ data }) => ('seq' in data && data.seq <= seq ? [data] : [])),
      );
      expect(reader.list('ANSWER')).toMatchObject([{ content: 'Half and half.' }]);
      expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      expect(reader.list('TOOL_RESULT').map(({ tool_output }) => tool_output)).toEqual(['0', '6']);
    },
  );
});
