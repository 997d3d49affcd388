import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import type { WholeStore } from '../support/store/whole-store.js';
import {
  at,
  endBatch,
  HELD,
  newBatch,
  newRequest,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import { FileStoreFolder } from '../storage/file-store-folder.js';
import { listUnowned } from '../support/store/list-unowned.js';
import { some } from '../support/thoroughness.js';

const ANSWER = { kind: 'input', answer: 'yes', by: { kind: 'user', user_id: 'ann' } } as const;

/**
 * What a killed process leaves of requests: a part of the log's last frame, and a requests.json
 * that may be behind it.
 */
describe('The file store, killed while people are asked (I3, I5)', () => {
  let folder: FileStoreFolder;
  let row: InteractionRow;
  beforeEach(async () => {
    folder = await FileStoreFolder.make();
    row = await started(await folder.open(), { lease: HELD });
    await folder.close();
  });
  afterEach(() => folder.remove());

  it('has a request with the record that tells of it, or neither', async () => {
    const [first, second] = [newRequest(2), newRequest(3)];
    const batch = newBatch(row.id, [2, 3], { status: 'WAITING_INPUT', requests: [first, second] });
    await eachCut(
      (store) => store.append([batch]),
      async (store, { whole }) => {
        expect(await readAll(store, row.id)).toHaveLength(whole ? 3 : 1);
        const pending = await store.listRequests({ status: 'pending', limit: 9 });
        expect(pending.map(({ id }) => id)).toEqual(whole ? [first.id, second.id] : []);
        const found = await store.findRequest(second.id);
        expect(found).toEqual(whole ? { ...second, ...pendingOf(row) } : undefined);
        const settle = { request_id: first.id, settlement: ANSWER, at: at(5) };
        expect((await store.settleRequest(settle)).outcome).toBe(whole ? 'settled' : 'unknown');
      },
    );
  });

  it('has a settlement with its signal, or neither', async () => {
    const request = newRequest(2);
    const settle = { request_id: request.id, settlement: ANSWER, at: at(5) };
    await (await folder.open()).append([newBatch(row.id, [2, 2], { requests: [request] })]);
    await eachCut(
      (store) => store.settleRequest(settle),
      async (store, { whole }) => {
        const signals = whole ? 1 : 0;
        expect(await store.findInteraction(row.id)).toMatchObject({ signals });
        const outcome = whole ? 'settled_before' : 'settled';
        expect((await store.settleRequest(settle)).outcome).toBe(outcome);
        expect(await store.findInteraction(row.id)).toMatchObject({ signals: 1 });
        expect(await store.findRequest(request.id)).toMatchObject({
          ...{ status: 'settled', settlement: ANSWER, settled_at: at(5) },
        });
      },
    );
  });

  it('closes what is pending with the end, or not at all', async () => {
    const [settled, open] = [newRequest(2), newRequest(3)];
    const store = await folder.open();
    await store.append([newBatch(row.id, [2, 3], { requests: [settled, open] })]);
    await store.settleRequest({ request_id: settled.id, settlement: ANSWER, at: at(5) });
    await eachCut(
      (store) => store.append([endBatch(row.id, 4)]),
      async (store, { whole }) => {
        const all = await store.listRequests({ interaction_id: row.id, limit: 9 });
        const status = whole ? 'closed' : 'pending';
        expect(all.map((request) => request.status)).toEqual(['settled', status]);
        const due = await store.listRequests({ status: 'pending', limit: 9 });
        expect(due).toHaveLength(whole ? 0 : 1);
      },
    );
  });

  it('stays parked, or was never let go of', async () => {
    const asked = { requests: [newRequest(2)], status: 'WAITING_INPUT' } as const;
    await (await folder.open()).append([newBatch(row.id, [2, 2], asked)]);
    await folder.close();
    await eachCut(
      (store) => store.park({ interaction_id: row.id, epoch: 1, signals: 0 }),
      async (store, { whole }) => {
        expect(await listUnowned(store, 9)).toEqual(whole ? [] : [row.id]);
        const lease = await store.acquireLease(row.id, HELD);
        expect(lease?.lost_owner).toBe(whole ? undefined : HELD.owner);
        if (!whole) return;
        await store.requestCancel(row.id, 'user');
        expect(await store.acquireLease(row.id, HELD)).toMatchObject({ parked: true });
      },
    );
  });

  it('makes a requests.json anew that is behind, damaged or gone', async () => {
    const path = folder.requestsFile(row.chat_id);
    const [first, second] = [newRequest(2), newRequest(3)];
    const versions = ['{"cut', '[]', 'null'];
    const keep = async () => {
      await folder.close();
      versions.push(await readFile(path, 'utf8'));
      return folder.open();
    };
    let store = await folder.open();
    await store.append([newBatch(row.id, [2, 2], { requests: [first] })]);
    store = await keep();
    await store.append([newBatch(row.id, [3, 3], { requests: [second] })]);
    store = await keep();
    await store.settleRequest({ request_id: first.id, settlement: ANSWER, at: at(5) });
    store = await keep();
    const read = (from: WholeStore) =>
      Promise.all([first, second].map(({ id }) => from.findRequest(id)));
    const rows = await read(store);
    expect(rows.map((request) => request?.status)).toEqual(['settled', 'pending']);

    const newest = versions.at(-1);
    for (const version of [undefined, ...versions]) {
      await folder.close();
      if (version === undefined) await rm(path);
      else await writeFile(path, version);
      await writeFile(`${path}.tmp`, '{');
      store = await folder.open();
      expect(await read(store)).toEqual(rows);
      expect(await store.listRequests({ limit: 9 })).toEqual(rows);
      expect(await readFile(path, 'utf8')).toBe(newest);
      expect(await readdir(folder.chat(row.chat_id))).toEqual([
        'chat.json',
        'interactions',
        'requests.json',
      ]);
    }
  });

  type Check = (store: WholeStore, cut: { whole: boolean }) => Promise<void>;

  /**
   * Does something that appends one frame, and then looks at every part of it that a kill may
   * leave.
   */
  async function eachCut(
    act: (store: WholeStore) => Promise<unknown>,
    check: Check,
  ): Promise<void> {
    await folder.open();
    await folder.close();
    const before = await readFile(folder.log(row));
    await act(await folder.open());
    await folder.close();
    const after = await readFile(folder.log(row));
    const step = Math.ceil((after.length - before.length) / 60);
    const lengths: number[] = [];
    for (let length = before.length; length < after.length - 1; length += step)
      lengths.push(length);
    for (const length of some([...lengths, after.length - 1], 12)) {
      await writeFile(folder.log(row), after.subarray(0, length));
      await check(await folder.open(), { whole: false });
      await folder.close();
    }
    await writeFile(folder.log(row), after);
    await check(await folder.open(), { whole: true });
  }
});

function pendingOf({ id, chat_id, chat_uid, tenant_id }: InteractionRow) {
  return {
    ...{ interaction_id: id, chat_id, chat_uid, tenant_id },
    ...{ status: 'pending', settlement: null, settled_at: null },
  };
}
