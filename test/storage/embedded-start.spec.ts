import { mkdir, mkdtemp, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  listContents,
  openEmbeddedDatabase,
} from '../../src/storage/typeorm/connection/embedded-database.js';
import { copyOfTemplate } from '../support/store/databases.js';

/** Tables that only a copy has: `initdb` makes none. */
const TABLES = "SELECT count(*)::integer AS n FROM pg_tables WHERE schemaname = 'public'";

describe(openEmbeddedDatabase.name, () => {
  let prepared: string;
  let dataDir: string;

  beforeEach(async () => {
    prepared = await copyOfTemplate();
    await listContents(join(prepared, 'db'));
    dataDir = await mkdtemp(join(tmpdir(), 'parley-start-'));
  });
  afterEach(async () => {
    for (const path of [prepared, dataDir]) await rm(path, { recursive: true, force: true });
  });

  const countTables = async (): Promise<unknown> => {
    const database = await openEmbeddedDatabase(dataDir, join(prepared, 'db'));
    const { rows } = await database.query<{ n: number }>(TABLES);
    await database.close();
    return rows[0]?.n;
  };

  const modeOf = async (path: string): Promise<string> =>
    ((await stat(join(dataDir, path))).mode & 0o777).toString(8);

  it('begins a new data directory as a copy, whatever a killed process left of one', async () => {
    await mkdir(join(dataDir, 'db.new/base'), { recursive: true });
    await writeFile(join(dataDir, 'db.new/PG_VERSION'), 'torn');
    expect(await countTables()).toBeGreaterThan(10);
    expect(await readdir(dataDir)).toEqual(['db']);
    expect(await readdir(join(dataDir, 'db/base'))).toHaveLength(1); // the one that is used
    expect(await Promise.all(['db', 'db/base', 'db/PG_VERSION'].map(modeOf))).toEqual([
      ...['700', '700', '600'],
    ]);
  });

  it('starts from a copy whose empty folders an archive has lost', async () => {
    const folders = await readdir(join(prepared, 'db'), { withFileTypes: true });
    for (const { name } of folders.filter((entry) => entry.isDirectory()))
      await rmdir(join(prepared, 'db', name)).catch(() => {}); // not empty
    expect(await readdir(join(prepared, 'db'))).not.toContain('pg_notify');
    expect(await countTables()).toBeGreaterThan(10);
  });

  it('names the file that a template lacks, and leaves nothing that looks complete', async () => {
    await rm(join(prepared, 'db/base'), { recursive: true });
    await expect(countTables()).rejects.toThrow(/lacks base\/\S+: the installation/);
    expect(await readdir(dataDir)).toEqual(['db.new']);
  });

  it('leaves a database alone that is there already', async () => {
    expect(await countTables()).toBeGreaterThan(10);
    const database = await openEmbeddedDatabase(dataDir, join(prepared, 'db'));
    await database.exec('DROP TABLE tasks');
    const { rows } = await database.query<{ n: number }>(TABLES);
    await database.close();
    expect(await countTables()).toBe(rows[0]?.n);
  });
});
