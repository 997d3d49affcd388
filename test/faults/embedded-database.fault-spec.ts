import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { typeOrmStore } from '../support/typeorm-store.js';
import { readAll } from '../contracts/interaction-store/fixtures.js';
import { copyOfTemplate } from '../support/databases.js';
import { transpile } from '../support/transpile.js';

const ROOT = join(import.meta.dirname, '../..');

/** Starts an interaction and appends to it until it is killed; says how far its log is, once it is saved. */
const WRITER = `
  import { openDatabase } from './src/storage/typeorm/open-database.js';
  import { createStores } from './src/storage/typeorm/create-stores.js';
  const [dataDir, id] = process.argv.slice(2);
  const { interactions, records } = createStores(await openDatabase({ dataDir, migrate: true }));
  const at = new Date().toISOString();
  const chat = { id: 'chat_' + id, title: null, agent: null, created_at: at, metadata: {} };
  const interaction = { id, chat_id: chat.id, user_message: 'go', agent: 'a', agent_id: 'agent_1', model: 'm', settings: {}, created_at: at, metadata: {} };
  await interactions.startInteraction({ chat, interaction, on_conflict: 'reject', lease: { owner: 'writer', ttl_ms: 1 } });
  for (let seq = 2; ; seq++) {
    const body = { type: 'MESSAGE', block_id: 'b', content: String(seq).repeat(500) };
    const record = { interaction_id: id, seq, epoch: 1, agent_id: 'agent_1', at, key: null, body, hidden: null };
    await records.append([{ interaction_id: id, epoch: 1, records: [record] }]);
    process.send(seq);
  }
`;

let work: string;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'parley-embedded-test-'));
  const typeorm = await readdir(join(ROOT, 'src/storage/typeorm'));
  const modules = typeorm.filter((name) => !name.endsWith('.spec.ts'));
  await transpile(
    [
      'kernel/app-error',
      'log/interaction-store',
      'log/intervention-rows',
      'log/store-rows',
      'permissions/permission-rule',
      'permissions/rule-store',
      ...modules.map((name) => `storage/typeorm/${name.replace(/\.ts$/, '')}`),
    ],
    work,
  );
  const migrations = await readdir(join(ROOT, 'migrations'));
  await transpile(
    migrations.map((name) => `../migrations/${name.replace(/\.ts$/, '')}`),
    work,
  );
  await symlink(join(ROOT, 'node_modules'), join(work, 'node_modules'));
  await writeFile(join(work, 'writer.js'), WRITER);
});

afterAll(() => rm(work, { recursive: true, force: true }));

describe('the embedded database', () => {
  it('has every record that was saved when its process was killed, and goes on (I3)', async () => {
    const dataDir = await copyOfTemplate();
    const saved = new Map<string, number>();
    for (const id of ['int_1', 'int_2', 'int_3'])
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
  const child: ChildProcess = fork(join(work, 'writer.js'), [dataDir, id], {
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
