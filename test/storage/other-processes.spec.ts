import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../../src/config/load-config.js';
import { Secret } from '../../src/config/secrets/secret.js';
import { MasterKeys } from '../../src/encryption/master-keys.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { encryptSaved } from '../../src/storage/encrypted/saved/encrypt-saved.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { eventually } from '../support/eventually.js';
import { createPostgresDatabase, findPostgresFault } from '../support/store/databases.js';

const fault = await findPostgresFault();

(fault ? describe.skip : describe)('A Postgres database that several processes use', () => {
  let folder: string;
  let database: { readonly url: string; drop(): Promise<void> };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-others-'));
    database = await createPostgresDatabase();
  });
  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const problems = async (env: Record<string, string> = {}): Promise<string[]> => {
    const told: string[] = [];
    const config = loadConfig({ DATABASE_URL: database.url, DATA_DIR: folder, ...env });
    const storage = await openStorage(config, new SystemClock(), (problem) => told.push(problem));
    await storage.close();
    return told;
  };

  it('is reported, unless they share a Redis', async () => {
    expect(await problems()).toEqual([]);
    const other = new pg.Client({ connectionString: database.url, application_name: 'parley x' });
    await other.connect();
    expect(await problems()).toEqual([expect.stringContaining('REDIS_URL')]);
    const shared = { REDIS_URL: 'redis://127.0.0.1:6379', FILES_DIR: join(folder, 'files') };
    expect(await problems(shared)).toEqual([]);
    await other.end();
  });

  it('is reported by the process that came first, too, whenever another one comes', async () => {
    const told: string[] = [];
    const config = loadConfig({ DATABASE_URL: database.url, DATA_DIR: folder });
    const storage = await openStorage(config, new SystemClock(), (problem) => told.push(problem));
    const watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
    const isGone = async (name: string) =>
      (await watcher.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [name]))
        .rowCount === 0;
    for (const application_name of ['parley x', 'parley y']) {
      told.length = 0;
      await storage.records.ping();
      expect(told).toEqual([]);
      const other = new pg.Client({ connectionString: database.url, application_name });
      await other.connect();
      await storage.records.ping();
      await storage.records.ping();
      expect(told).toEqual([expect.stringContaining('REDIS_URL')]);
      await other.end();
      await eventually(() => isGone(application_name));
    }
    await watcher.end();
    await storage.close();
  });

  it('is not encrypted meanwhile: one of them may be without the key', async () => {
    const config = loadConfig({ DATABASE_URL: database.url, DATA_DIR: folder });
    const storage = await openStorage(config, new SystemClock(), () => {});
    const other = new pg.Client({ connectionString: database.url, application_name: 'parley x' });
    await other.connect();
    const masters = new MasterKeys([{ id: 'k1', secret: new Secret('x'.repeat(44)) }]);
    await expect(encryptSaved(storage, masters)).rejects.toMatchObject({ code: 'store_in_use' });
    await other.end();
    expect(await encryptSaved(storage, masters)).toBe(0);
    await storage.close();
  });
});
