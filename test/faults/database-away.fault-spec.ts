import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import type { WholeStore } from '../support/store/whole-store.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import {
  HELD,
  newBatch,
  newStart,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';
import type { TcpProxy } from '../support/server/tcp-proxy.js';
import { openTcpProxy } from '../support/server/tcp-proxy.js';

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

describeOnPostgres(`a database that goes away${fault ? `: ${fault}` : ''}`, () => {
  let server: Awaited<ReturnType<typeof openTestPostgres>>;
  let proxy: TcpProxy;
  let url: string;
  let database: Database;
  let store: WholeStore;

  beforeAll(async () => {
    server = await openTestPostgres();
    const through = new URL(server.url);
    proxy = await openTcpProxy({ host: through.hostname, port: Number(through.port || 5432) });
    Object.assign(through, { hostname: '127.0.0.1', port: String(proxy.port), password: 's3cret' });
    url = through.href;
    database = await openDatabase({ url, dataDir: '', migrate: true });
    store = typeOrmStore(database);
  });

  afterAll(async () => {
    await database.close();
    await proxy.cut();
    await server.close();
  });

  const unavailable = { kind: 'unavailable', code: 'store_unavailable' };

  it('makes every call reject as unavailable, until it is back', async () => {
    const { id, chat_id } = await started(store, { lease: HELD });
    await proxy.cut();
    const calls = [
      () => store.ping(),
      () => store.findChat(chat_id),
      () => store.startInteraction(newStart()),
      () => store.append([newBatch(id, [2, 2])]),
      () => store.renewLeases([{ interaction_id: id, epoch: 1 }], HELD),
    ];
    for (const call of calls) {
      const error = await call().then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error).toMatchObject(unavailable);
      expect(error?.cause).toHaveProperty('message');
    }
    await proxy.restore();
    expect(await store.append([newBatch(id, [2, 2])])).toEqual(['written']);
  });

  it('writes an append once whose commit was in doubt', async () => {
    const { id } = await started(store, { lease: HELD });
    const swallowed = proxy.swallowNextAnswer();
    await expect(store.append([newBatch(id, [2, 4])])).rejects.toMatchObject(unavailable);
    await swallowed;
    expect(await store.append([newBatch(id, [2, 4])])).toEqual(['written']);
    expect((await readAll(store, id)).map((record) => record.seq)).toEqual([1, 2, 3, 4]);
  });

  it('gives up on a connection that went silent, and trusts none that is as old', async () => {
    const silenced = await openTcpProxy({ host: '127.0.0.1', port: proxy.port });
    const through = url.replace(`:${proxy.port}`, `:${silenced.port}`);
    const target = { url: through, dataDir: '', migrate: true, saveTimeoutMs: 4000 };
    const impatient = await openDatabase(target);
    const own = typeOrmStore(impatient);
    const { id } = await started(own, { lease: HELD });
    await Promise.all(Array.from({ length: 10 }, () => own.findInteraction(id))); // a connection each
    silenced.freeze();
    const error = await own.append([newBatch(id, [2, 2])]).catch((reason: Error) => reason);
    expect(error).toMatchObject({ ...unavailable, cause: { code: 'ETIMEDOUT' } });
    const again = Array.from({ length: 5 }, () => own.append([newBatch(id, [2, 2])]));
    expect(new Set((await Promise.all(again)).flat())).toEqual(new Set(['written']));
    expect(await readAll(own, id)).toHaveLength(2);
    await silenced.cut();
    await impatient.close();
  });

  it('survives the end of its connections on the server', async () => {
    const { id } = await started(store, { lease: HELD });
    await server.database.query(
      {
        text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      },
      [],
    );
    await store.append([newBatch(id, [2, 2])]).catch(() => undefined);
    expect(await store.append([newBatch(id, [2, 2])])).toEqual(['written']);
    expect(await readAll(store, id)).toHaveLength(2);
  });

  it('is waited for at start', async () => {
    await proxy.cut();
    const opening = openDatabase({ url, dataDir: '', migrate: true, connectTimeoutMs: 20_000 });
    await expect(store.ping()).rejects.toMatchObject(unavailable);
    await proxy.restore();
    const late = await opening;
    expect(await late.query({ text: 'SELECT 1 AS one' }, [])).toEqual([{ one: 1 }]);
    await late.close();
  });

  it('is given up at start with a message that names it, without the password', async () => {
    await proxy.cut();
    const error = await openDatabase({
      url,
      dataDir: '',
      migrate: true,
      connectTimeoutMs: 300,
    }).then(
      () => undefined,
      (reason: Error) => reason,
    );
    await proxy.restore();
    expect(error).toMatchObject(unavailable);
    expect(error?.message).toContain(`on 127.0.0.1:${proxy.port}`);
    expect(error?.message).toContain('ECONNREFUSED');
    expect(error?.message).not.toContain('s3cret');
  });

  it('is not waited for when it says no', async () => {
    const wrong = url.replace(/\/parley_test_\w+/, '/no_such_database');
    const connectTimeoutMs = 3_600_000; // longer than the test may take
    const opening = openDatabase({ url: wrong, dataDir: '', migrate: true, connectTimeoutMs });
    await expect(opening).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining('"no_such_database" does not exist'),
    });
  });
});
