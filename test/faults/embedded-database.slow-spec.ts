import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import { readAll } from '../contracts/interaction-store/fixtures.js';
import { copyOfTemplate } from '../support/store/databases.js';
import { builtServer } from '../support/server/built-server.js';
import { runs } from '../support/thoroughness.js';

describe('the embedded database', () => {
  it('has every record that was saved when its process was killed, and goes on (I3)', async () => {
    const dataDir = await copyOfTemplate();
    const saved = new Map<string, number>();
    for (const id of ['int_1', 'int_2', 'int_3'].slice(0, runs(3)))
      saved.set(id, await writeUntilKilled(dataDir, id));

    const database = await openDatabase({ dataDir, migrate: true });
    const store = typeOrmStore(database);
    for (const [id, last] of saved) {
      const log = await readAll(store, id);
      expect(log.map((record) => record.seq)).toEqual(log.map((_, i) => i + 1));
      expect(log.length).toBeGreaterThanOrEqual(last);
      expect((await store.findInteraction(id))?.last_seq).toBe(log.length);
      const lease = await store.acquireLease(id, { owner: 'next', ttl_ms: 1000 });
      expect(lease).toMatchObject({ interaction: { epoch: 2 }, lost_owner: 'writer' });
    }
    await database.close();
    await rm(dataDir, { recursive: true });
  });
});

/** Kills it in the middle of its writing; answers the last seq that it said was saved. */
async function writeUntilKilled(dataDir: string, id: string): Promise<number> {
  const writer = await builtServer('dist/test/faults/database-writer.js');
  const child: ChildProcess = fork(writer, [dataDir, id], {
    execArgv: [],
    env: {},
  });
  let last = 0;
  const enough = new Promise<void>((resolve, reject) => {
    child.on('message', (seq: number) => {
      last = seq;
      if (seq === 60) resolve();
    });
    child.once('exit', () => reject(new Error('The writer ended by itself.')));
  });
  await enough;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  return last;
}
