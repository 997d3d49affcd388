import { uidOf } from '../support/store/chat-parts.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { WholeStore } from '../support/store/whole-store.js';
import { endBatch, HELD, readAll } from '../contracts/interaction-store/fixtures.js';
import { FileStoreFolder } from '../storage/file-store-folder.js';
import { builtServer } from '../support/server/built-server.js';
import { listUnowned } from '../support/store/list-unowned.js';
import { runs } from '../support/thoroughness.js';

const ROUNDS = runs(8);

describe('The file store, whose process is killed', () => {
  let folder: FileStoreFolder;
  beforeAll(async () => {
    folder = await FileStoreFolder.make();
  });
  afterAll(() => folder.remove());

  it('has everything it said was saved, without a gap, and goes on (I1, I3, I5)', async () => {
    const saved = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round++) {
      await writeUntilKilled(round, saved);
      const store = await folder.open();
      for (const [id, last] of saved) {
        if (last === 'settled') await expectSettled(store, id);
        else await expectRecords(store, id, Number(last));
      }
      await endAll(store);
      await folder.close();
    }
    expect(saved.size).toBeGreaterThan(ROUNDS);
  });

  /** Kills the writer at whatever it is doing when its n-th line arrives. */
  async function writeUntilKilled(round: number, saved: Map<string, string>): Promise<void> {
    const writer = await builtServer('dist/test/faults/file-store-writer.js');
    const child = spawn(process.execPath, [writer, folder.path, String(round % 3)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let left = 40 + round * 37;
    for await (const line of createInterface(child.stdout)) {
      const [id = '', last = ''] = line.split(' ');
      saved.set(id, last);
      if (--left === 0) child.kill('SIGKILL');
    }
    const [, signal] = (await exited) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
  }

  /**
   * Whoever takes up what is unowned can end it; what waits behind it begins, and in the end the
   * chat is free.
   */
  async function endAll(store: WholeStore): Promise<void> {
    for (;;) {
      const unowned = await listUnowned(store, 100);
      if (unowned.length === 0) break;
      for (const id of unowned) await endOne(store, id);
    }
    const chats = await store.listChats({ limit: 100 });
    for (const { id } of chats) expect(await store.listUnfinished(uidOf(id))).toEqual([]);
  }
});

async function endOne(store: WholeStore, id: string): Promise<void> {
  const lease = await store.acquireLease(id, HELD);
  const { chat_id, epoch, last_seq } = lease!.interaction;
  const [active, ...queue] = await store.listUnfinished(uidOf(chat_id));
  expect([active?.id, queue.every(({ status }) => status === 'QUEUED')]).toEqual([id, true]);
  expect(await store.append([endBatch(id, last_seq + 1, { epoch })])).toEqual(['written']);
  expect((await store.findActiveInteraction(uidOf(chat_id)))?.id).toBe(queue[0]?.id);
}

async function expectRecords(store: WholeStore, id: string, last: number): Promise<void> {
  const seqs = (await readAll(store, id)).map((record) => record.seq);
  expect(seqs).toEqual(seqs.map((_, i) => i + 1));
  expect(seqs.length).toBeGreaterThanOrEqual(last);
  expect(await store.findInteraction(id)).toBeDefined();
}

async function expectSettled(store: WholeStore, id: string): Promise<void> {
  const request = await store.findRequest(id);
  expect(request?.status).toBe('settled');
  const row = await store.findInteraction(request!.interaction_id);
  const query = { interaction_id: row!.id, status: 'settled', limit: 9 } as const;
  expect(row!.signals).toBeGreaterThanOrEqual((await store.listRequests(query)).length);
}
