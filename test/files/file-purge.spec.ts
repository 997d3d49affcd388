import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { loadConfig } from '../../src/config/load-config.js';
import type { FileCatalog, FileRow } from '../../src/files/file-catalog.js';
import { keyOf } from '../../src/files/file-key.js';
import { FileStoreReports } from '../../src/files/file-store-reports.js';
import { reported } from '../../src/files/reported.js';
import { FilePurge } from '../../src/files/file-purge.js';
import { filesUnavailable } from '../../src/files/file-store.js';
import { LocalFileStore } from '../../src/files/local/local-file-store.js';
import { ALL_TENANTS, currentTenant, withinTenant } from '../../src/kernel/tenant-scope.js';
import { Telemetry } from '../../src/telemetry/telemetry.js';
import { openMemoryStores } from '../../src/storage/memory/memory-stores.js';
import { LOCAL } from '../support/store/chat-parts.js';
import { eventually } from '../support/eventually.js';
import { MovableClock } from '../support/movable-clock.js';

const HOUR_MS = 3_600_000;

/** A folder that can be away. */
class FaultyFileStore extends LocalFileStore {
  isAway = false;
  tries = 0;

  override async delete(key: string): Promise<void> {
    this.tries++;
    if (this.isAway) throw filesUnavailable('it is away', undefined);
    await super.delete(key);
  }
}

class Counted {
  readonly telemetry = new Telemetry();
  failures = 0;
  removed = 0;
  left = 0;

  constructor() {
    this.telemetry.on('file_store_failed', () => this.failures++);
    this.telemetry.on('file_swept', () => this.removed++);
    this.telemetry.on('file_purges_pending', ({ count }) => (this.left = count));
  }
}

describe(FilePurge.name, () => {
  let counted: Counted;
  beforeEach(() => {
    counted = new Counted();
  });
  let root: string;
  let bytes: FaultyFileStore;
  let catalog: FileCatalog;
  let clock: MovableClock;
  let purge: FilePurge;
  beforeAll(() => Logger.overrideLogger(false));
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'parley-files-'));
    bytes = new FaultyFileStore(root);
    catalog = openMemoryStores().files;
    clock = new MovableClock();
  });
  afterEach(async () => {
    await purge.onApplicationShutdown();
    await rm(root, { recursive: true, force: true });
  });

  const start = (RETENTION_DAYS = '0') => {
    purge = new FilePurge(
      catalog,
      reported(bytes, new FileStoreReports(clock, counted.telemetry)),
      loadConfig({ RETENTION_DAYS }),
      clock,
      counted.telemetry,
    );
    purge.onApplicationBootstrap();
  };
  const add = async (created_at = clock.now().toISOString()): Promise<FileRow> => {
    const row = {
      ...{ id: `file_${randomUUID()}`, tenant_id: LOCAL.tenant_id, owner: LOCAL.user_id },
      ...{ chat_uid: null, chat_id: null, filename: 'a', mime_type: 'text/plain' },
      ...{ size_bytes: 1, sha256: '', created_at },
    };
    await put(keyOf(row));
    await catalog.add(row);
    return row;
  };
  const put = (key: string) => bytes.put(key, Readable.from([Buffer.from('x')]));
  const isKnown = async ({ id }: FileRow) => (await catalog.findKnown([id])).length > 0;
  const exists = (row: FileRow) => bytes.exists(keyOf(row));

  it('removes the bytes of a deleted file, then its row', async () => {
    start();
    const [gone, kept] = [await add(), await add()];
    await catalog.delete(gone.id, LOCAL);
    purge.request();
    await eventually(async () => !(await isKnown(gone)));
    expect([await exists(gone), await exists(kept)]).toEqual([false, true]);
  });

  it('sees the files of all tenants, whoever asks for it', async () => {
    start();
    const seen = new Set<string>();
    const listDeleted = catalog.listDeleted.bind(catalog);
    catalog.listDeleted = (page) => {
      seen.add(currentTenant());
      return listDeleted(page);
    };
    const gone = await add();
    await catalog.delete(gone.id, LOCAL);
    withinTenant('acme', () => purge.request());
    await eventually(async () => !(await isKnown(gone)));
    expect([...seen]).toEqual([ALL_TENANTS]);
  });

  it('tries again within a minute while the store is away, and knows of it until then', async () => {
    start();
    const gone = await add();
    bytes.isAway = true;
    await catalog.delete(gone.id, LOCAL);
    purge.request();
    await eventually(() => bytes.tries === 1);
    for (let tries = 2; tries < 5; tries++) {
      await eventually(() => {
        clock.pass(30_000);
        return bytes.tries >= tries;
      });
      expect([await exists(gone), await isKnown(gone)]).toEqual([true, true]);
      expect(counted.left).toBe(1);
    }
    expect(counted.failures).toBeGreaterThanOrEqual(3);
    bytes.isAway = false;
    clock.pass(30_000);
    await eventually(async () => !(await isKnown(gone)));
    await eventually(() => counted.left === 0);
    expect(await exists(gone)).toBe(false);
  });

  it('removes what a killed process left at the start', async () => {
    const gone = await add();
    await catalog.delete(gone.id, LOCAL);
    start();
    await eventually(async () => !(await isKnown(gone)));
    expect(await exists(gone)).toBe(false);
  });

  it('removes bytes without a row once they are a day old, and no others', async () => {
    const lost = `default/file_${randomUUID()}`;
    const foreign = 'default/backup';
    const kept = await add();
    for (const key of [lost, foreign]) await put(key);
    start();
    clock.pass(23 * HOUR_MS);
    await bytes.removeUnfinished(new Date(0));
    expect(await bytes.exists(lost)).toBe(true);
    const old = new Date(Date.now() - 2 * HOUR_MS);
    for (const key of [lost, foreign, keyOf(kept)]) await utimes(join(root, key), old, old);
    clock.pass(HOUR_MS);
    await eventually(async () => !(await bytes.exists(lost)));
    await eventually(() => counted.removed === 1);
    expect([await bytes.exists(foreign), await exists(kept)]).toEqual([true, true]);
  });

  it('removes files without a chat after RETENTION_DAYS', async () => {
    const daysAgo = (days: number) =>
      new Date(clock.now().getTime() - days * 24 * HOUR_MS).toISOString();
    const [old, young] = [await add(daysAgo(31)), await add(daysAgo(29))];
    start('30');
    await eventually(async () => !(await isKnown(old)));
    expect([await exists(old), await exists(young)]).toEqual([false, true]);
  });
});
