import { createHash, randomBytes } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileInfo } from '../../src/protocol/file.js';
import type { ApiClient } from '../support/client/api-client.js';
import { eventually } from '../support/eventually.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { runs } from '../support/thoroughness.js';

/** Kills; `KILLS=200 npm test -- test/faults/uploads` is the long form. */
const ROUNDS = Number(process.env['KILLS'] ?? runs(15));
const ABREAST = 4;
const TWO_DAYS_MS = 2 * 86_400_000;

/** What the server said of each file. */
class Told {
  readonly added = new Map<string, FileInfo>();
  readonly deleted = new Set<string>();
  /** A delete that was not answered. */
  readonly unclear = new Set<string>();
}

describe('Files, whose server is killed', () => {
  let data: ProcessData;
  let folder: string;
  beforeAll(async () => {
    data = await FILES.create();
    folder = join(data.env['DATA_DIR'] ?? '', 'files');
  });
  afterAll(() => data.remove());

  it(
    'are all there or not at all, and after a sweep no bytes are left of others',
    async () => {
      const told = new Told();
      for (let round = 0; round < ROUNDS; round++) {
        const server = await start();
        const api = await server.api();
        const working = Array.from({ length: ABREAST }, (_, n) => work(api, told, round + n));
        const enough = told.added.size + 12 + ((round * 7) % 23);
        await eventually(() => told.added.size >= enough, 30_000);
        await server.kill('SIGKILL');
        await Promise.all(working);
        await age(folder);
        await check(told);
      }
      expect(told.deleted.size).toBeGreaterThan(ROUNDS);
    },
    60_000 * ROUNDS,
  );

  const start = () => ServerProcess.start({ ...data.env, MODEL: 'demo/script' });

  /** A restarted server sweeps. */
  async function check({ added, deleted, unclear }: Told): Promise<void> {
    const server = await start();
    const api = await server.api();
    const files = await listAll(api);
    const ids = files.map(({ id }) => id);
    expect(ids.filter((id) => deleted.has(id))).toEqual([]);
    const kept = [...added.keys()].filter((id) => !deleted.has(id) && !unclear.has(id));
    expect(kept.filter((id) => !ids.includes(id))).toEqual([]);
    for (const { id, sha256, size_bytes } of files) {
      const response = await fetch(`${api.url}/files/${id}/content`);
      const bytes = Buffer.from(await response.arrayBuffer());
      const hash = createHash('sha256').update(bytes).digest('hex');
      expect([id, hash, bytes.length]).toEqual([id, sha256, size_bytes]);
    }
    await eventually(async () => (await stored(folder)).join() === ids.toSorted().join());
    await eventually(async () => (await stored(folder, '.incoming')).length === 0);
    await server.kill('SIGKILL');
  }
});

/** Uploads, and deletes each second file, until the server is gone. */
async function work(api: ApiClient, told: Told, seed: number): Promise<void> {
  for (let n = seed; ; n++) {
    const form = new FormData();
    form.set('file', new Blob([randomBytes(1 + ((n * 65_537) % 700_000))]), `${n}.bin`);
    const reply = await api.send('POST', '/files', { form }).catch(() => undefined);
    if (reply?.status !== 201) return;
    const file = reply.body as FileInfo;
    told.added.set(file.id, file);
    if (n % 2 !== 0) continue;
    told.unclear.add(file.id);
    const { status } = await api.delete(`/files/${file.id}`).catch(() => ({ status: 0 }));
    if (status !== 204) return;
    told.deleted.add(file.id);
  }
}

async function listAll(api: ApiClient): Promise<FileInfo[]> {
  const all: FileInfo[] = [];
  for (let cursor = ''; ;) {
    const { body } = await api.get(`/files?limit=200${cursor}`);
    all.push(...(body.items as FileInfo[]));
    if (body.next_cursor === null) return all;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

async function stored(folder: string, tenant = 'default'): Promise<string[]> {
  const names: string[] = await readdir(join(folder, tenant)).catch(() => []);
  return names.toSorted();
}

/** As if all had been written two days ago. */
async function age(folder: string): Promise<void> {
  const past = new Date(Date.now() - TWO_DAYS_MS);
  for (const name of ['default', '.incoming'])
    for (const file of await stored(folder, name))
      await utimes(join(folder, name, file), past, past);
}
