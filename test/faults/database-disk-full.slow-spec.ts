import { eventually } from '../support/eventually.js';
import { OutageWorld } from '../support/store/outage-world.js';
import { findClusterFault, PostgresCluster } from '../support/store/postgres-cluster.js';
import { SmallDisk } from '../support/store/small-disk.js';

const noDisk = await SmallDisk.findFault();
const fault = noDisk ?? (await findClusterFault());

(fault ? describe.skip : describe)(`A disk that is full${fault ? `: ${fault}` : ''}`, () => {
  let disk: SmallDisk;
  let world: OutageWorld;
  afterEach(async () => {
    await world.close();
    await disk.remove();
  });

  it('holds up what is in a database, and nothing is lost', async () => {
    disk = await SmallDisk.mount(120);
    const cluster = await PostgresCluster.start(disk.path);
    world = await OutageWorld.open({ DATABASE_URL: cluster.url });
    const work = await world.begin();
    await disk.fill();
    work.gate.open();
    const { body } = await world.untilReady(503);
    expect(body).toMatchObject({ dependency: 'database' });
    await eventually(async () => (await world.spilled()).length > 0);
    await disk.empty();
    if (!cluster.isRunning) await cluster.start(); // it may not live without room for its log
    await world.untilReady(200);
    await world.expectWhole(work);
    expect(await world.aside()).toEqual([]);
    await cluster.stop('SIGQUIT');
  });

  it('holds up what is in files: no half of a record counts, and it goes on when there is room', async () => {
    disk = await SmallDisk.mount(16);
    world = await OutageWorld.open({ STORE: 'file', DATA_DIR: disk.path });
    const work = await world.begin();
    await disk.fill();
    work.gate.open();
    const { body } = await world.untilReady(503);
    expect(body).toMatchObject({ dependency: 'data directory' });
    const refused = await world.api.post('/chats', {});
    expect(refused).toMatchObject({ status: 503, body: { type: '/problems/store_unavailable' } });
    expect(refused.body.detail).toContain('ENOSPC');
    await disk.empty();
    await world.untilReady(200);
    const readers = await world.expectWhole(work);
    await world.killServer();
    await world.startServer(); // what is on the disk is what they have seen
    for (const [n, { records }] of readers.entries())
      expect((await world.api.follow(work.all[n]!)).records).toEqual(records);
    expect(world.output).not.toMatch(/"level":(50|60)/);
  });
});
