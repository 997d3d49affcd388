import { setTimeout as delay } from 'node:timers/promises';
import { isSealed } from '../../src/encryption/sealed-text.js';
import { eventually } from '../support/eventually.js';
import { OutageWorld } from '../support/store/outage-world.js';
import { findClusterFault, PostgresCluster } from '../support/store/postgres-cluster.js';
import { masterKey } from '../support/store/master-key.js';

const fault = await findClusterFault();
const describeOnCluster = fault ? describe.skip : describe;

const PROBLEM = 'application/problem+json; charset=utf-8';
const REASON = 'its records could not be saved for a while';

describeOnCluster(`A server whose database is mistreated${fault ? `: ${fault}` : ''}`, () => {
  let cluster: PostgresCluster;
  let world: OutageWorld;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    const ENCRYPTION_KEYS = `test:${masterKey(1)}`;
    world = await OutageWorld.open({ DATABASE_URL: cluster.url, ENCRYPTION_KEYS });
  });
  afterAll(async () => {
    await world.close();
    await cluster.remove();
  });

  const spillAll = async (work: Awaited<ReturnType<OutageWorld['begin']>>): Promise<void> => {
    await cluster.stop();
    work.gate.open();
    await eventually(async () => (await world.spilled()).length === work.all.length);
  };

  it('goes on when the database is restarted, and when it crashed', async () => {
    for (const how of ['SIGINT', 'SIGQUIT'] as const) {
      const work = await world.begin();
      await cluster.stop(how);
      work.gate.open();
      await world.untilReady(503);
      await cluster.start();
      await world.untilReady(200);
      await world.expectWhole(work);
    }
  });

  it('goes on when its connections are cut, again and again', async () => {
    const work = await world.begin();
    work.gate.open();
    for (let cuts = 0; cuts < 8; cuts++) await cluster.cutConnections();
    await world.expectWhole(work);
    await world.untilReady(200);
  });

  it('goes on when the database is read-only for a while', async () => {
    const work = await world.begin();
    await cluster.setReadOnly(true);
    await world.untilReady(503); // before anybody tries to write
    work.gate.open();
    expect((await world.api.post('/chats', {})).status).toBe(503);
    await cluster.setReadOnly(false);
    await world.untilReady(200);
    await world.expectWhole(work);
  });

  it('goes on when the database hangs for three seconds, whatever of its statements is carried out late', async () => {
    const work = await world.begin();
    await cluster.signal('SIGSTOP');
    work.gate.open();
    const requests = Array.from({ length: 30 }, () => world.api.get('/chats'));
    await delay(3000); // the fault itself
    await world.untilReady(503);
    // All are answered while it still hangs.
    expect((await world.api.get('/chats')).status).toBe(503);
    for (const { status } of await Promise.all(requests)) expect(status).toBe(503);
    await cluster.signal('SIGCONT');
    await world.untilReady(200);
    await world.expectWhole(work);
  });

  it('keeps what it can’t save in time, stops, and goes on with it when the database is back', async () => {
    const work = await world.begin();
    await spillAll(work);
    expect((await world.ready()).body).toMatchObject({
      type: '/problems/not_ready',
      dependency: 'database',
      since: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify((await world.ready()).body)).not.toContain('postgres:');
    const refused = await world.api.post('/chats', {});
    expect(refused).toMatchObject({ status: 503, body: { type: '/problems/store_unavailable' } });
    expect(refused.headers.get('content-type')).toBe(PROBLEM);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/);
    expect((await world.api.get('/tools')).status).toBe(200);
    const spilled = await Promise.all(work.all.map((of) => world.spilledOf(of)));
    const asked = world.fake.requests.length;
    await cluster.start();
    await world.untilReady(200);
    for (const [n, reader] of (await world.expectWhole(work)).entries()) {
      expect(reader.list('RESUMED')).toMatchObject([{ attempt: 1, reason: REASON }]);
      const kept = spilled[n]!.flatMap(({ records }) => records);
      expect(kept.length).toBeGreaterThan(0);
      const saved = reader.records.map(({ seq, type }) => `${seq} ${type}`);
      expect(saved).toEqual(expect.arrayContaining(kept));
      for (const { enc } of spilled[n]!) expect(isSealed(enc)).toBe(true);
    }
    // Nothing that was spilled was asked of the model again.
    expect(world.fake.requests.length - asked).toBe(3 * work.all.length);
    expect(await world.spilled()).toEqual([]);
    expect(await world.aside()).toEqual([]);
  });

  it('saves what the process before it could not, before it takes anything up', async () => {
    const work = await world.begin();
    await spillAll(work);
    await world.killServer();
    await cluster.start();
    await world.startServer();
    for (const reader of await world.expectWhole(work))
      expect(reader.list('RESUMED')).toMatchObject([{ reason: REASON }]);
    expect(await world.spilled()).toEqual([]);
  });

  it('sets aside what another run has overtaken, or what is of a chat that is gone, and says so', async () => {
    const work = await world.begin();
    await spillAll(work);
    await world.killServer();
    await cluster.start();
    const [taken, gone, last] = work.all;
    await cluster.sql('UPDATE interactions SET epoch = epoch + 1 WHERE id = ANY ($1)', [
      [taken!.id, last!.id],
    ]);
    await cluster.sql('DELETE FROM chats WHERE id = $1', [gone!.chat_id]);
    await world.startServer();
    await eventually(async () => (await world.aside()).length === 3);
    expect(world.output).toMatch(
      new RegExp(`${taken!.id}[^\\n]*another run has taken over[^\\n]*aside`),
    );
    expect(world.output).toMatch(new RegExp(`${gone!.id}[^\\n]*deleted[^\\n]*aside`));
    for (const overtaken of [taken!, last!]) {
      const reader = await world.api.follow(overtaken);
      expect(reader.faults).toEqual([]);
      expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
    }
  });
});
