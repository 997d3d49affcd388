import { LOCAL, uidOf } from '../support/store/chat-parts.js';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import type { WholeStore } from '../support/store/whole-store.js';
import {
  at,
  ended,
  endBatch,
  HELD,
  newEnd,
  newStart,
  queued,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import { FileStoreFolder } from '../storage/file-store-folder.js';
import { listUnowned } from '../support/store/list-unowned.js';
import { some } from '../support/thoroughness.js';

const END = newEnd('one', { completed_at: at(70) });

/**
 * What touches two logs, or a log and chat.json, is committed in one of them: the other is behind
 * it after a kill, or cut.
 */
describe('The file store, killed between two files (I3, I9)', () => {
  let folder: FileStoreFolder;
  let active: InteractionRow;
  let chat_id: string;
  let chatFile: Buffer;
  beforeEach(async () => {
    folder = await FileStoreFolder.make();
    active = await started(await folder.open(), { lease: HELD });
    ({ chat_id } = active);
  });
  afterEach(() => folder.remove());

  it('ends an interaction and begins the next, or neither', async () => {
    const next = await queued(await folder.open(), { chat_id });
    await queued(await folder.open(), { chat_id });
    const { before, after } = await snapshots([active, next], (store) =>
      store.append([endBatch(active.id, 2, { end: END })]),
    );
    const [end, beginning] = after;
    for (const cut of cuts(before[0], end)) {
      const store = await restore([active, next], [cut, before[1]]);
      expect(await unfinished(store)).toMatchObject([{ id: active.id }, { id: next.id }, {}]);
    }
    for (const cut of [before[1], ...cuts(before[1], beginning), beginning]) {
      const store = await restore([active, next], [end, cut]);
      const row = { ...next, status: 'RUNNING', parent_id: active.id, last_seq: 1 };
      expect(await store.findActiveInteraction(uidOf(chat_id))).toEqual(row);
      expect(await unfinished(store)).toHaveLength(2);
      expect(await readAll(store, next.id)).toMatchObject([{ seq: 1, at: at(70) }]);
      expect(await store.findChat(chat_id)).toMatchObject({
        ...{ head_interaction_id: next.id, updated_at: at(70) },
      });
      expect(await store.promoteQueued(at(99))).toEqual([]);
      expect(await listUnowned(store, 9)).toEqual([next.id]);
    }
  });

  it('interrupts and queues, or neither', async () => {
    const start = newStart({ chat_id, on_conflict: 'interrupt' });
    const waiting = { ...active, id: start.interaction.id };
    const { before, after } = await snapshots([active], (store) => store.startInteraction(start));
    const [cancel] = after;
    const queuedLog = await readFile(folder.log(waiting));
    for (const cut of cuts(Buffer.alloc(0), queuedLog)) {
      const store = await restore([active, waiting], [before[0], cut]);
      expect(await unfinished(store)).toEqual([active]);
    }
    for (const cut of [before[0], ...cuts(before[0], cancel), cancel]) {
      const store = await restore([active, waiting], [cut, queuedLog]);
      const [interrupted, next] = await unfinished(store);
      const cancel_reason = 'Interrupted by a new message.';
      expect(interrupted).toEqual({
        ...active,
        signals: 1,
        cancel_reason,
        cancelled_by: LOCAL.user_id,
      });
      expect(next).toMatchObject({ id: waiting.id, status: 'QUEUED' });
    }
  });

  it('marks the branch that an edit leaves, though chat.json was not written any more', async () => {
    await (await folder.open()).append([endBatch(active.id, 2)]);
    const second = await ended(await folder.open(), 'two', { chat_id });
    await folder.close();
    const chatFile = await readFile(folder.chatFile(chat_id));
    const projection = await readFile(folder.projection(second));
    const edit = { chat_id, edited_from: second.id, created_at: at(40) };
    const edited = await started(await folder.open(), edit);
    await folder.close();
    const written = await readFile(folder.chatFile(chat_id), 'utf8');
    await writeFile(folder.chatFile(chat_id), chatFile);
    await writeFile(folder.projection(second), projection);

    const store = await folder.open();
    expect(await store.findInteraction(second.id)).toMatchObject({ superseded_at: at(40) });
    expect(await store.findInteraction(active.id)).toMatchObject({ superseded_at: null });
    const chat = await store.findChat(chat_id);
    expect(chat).toMatchObject({ head_interaction_id: edited.id, updated_at: at(40) });
    expect(await readFile(folder.chatFile(chat_id), 'utf8')).toBe(written);
    expect(await folder.readJson(folder.projection(second))).toMatchObject({
      superseded_at: at(40),
    });
  });

  it('knows branches from the logs alone, but for heads that somebody has switched', async () => {
    await (await folder.open()).append([endBatch(active.id, 2)]);
    const second = await ended(await folder.open(), 'two', { chat_id, created_at: at(5) });
    const edit = { chat_id, edited_from: second.id, created_at: at(40) };
    await ended(await folder.open(), 'three', edit);
    const store = await folder.open();
    const page = { chat_uid: uidOf(chat_id), superseded: true, limit: 9 };
    const rows = await store.listInteractions(page);
    const chat = await store.findChat(chat_id);
    await folder.close();
    await rm(folder.chatFile(chat_id));
    const again = await folder.open();
    expect(await again.listInteractions(page)).toEqual(rows);
    expect(await again.findChat(chat_id)).toEqual(chat);
  });

  it('ends in the queue what was cancelled there, though chat.json was not written any more', async () => {
    const waiting = await queued(await folder.open(), { chat_id });
    const { before, after } = await snapshots([waiting], async (store) => {
      await store.requestCancel(waiting.id, 'user');
      const lease = await store.acquireLease(waiting.id, HELD);
      const epoch = lease?.interaction.epoch ?? 0;
      await store.append([endBatch(waiting.id, 1, { epoch, end: END })]);
    });
    for (const cut of cuts(before[0], after[0])) {
      const store = await restore([waiting], [cut]);
      expect(await unfinished(store)).toMatchObject([{ id: active.id }, { status: 'QUEUED' }]);
    }
    const store = await restore([waiting], after);
    expect(await unfinished(store)).toMatchObject([{ id: active.id }]);
    expect(await store.findInteraction(waiting.id)).toMatchObject({ superseded_at: at(70) });
    expect((await store.findChat(chat_id))?.head_interaction_id).toBe(active.id);
  });

  it('lets the end stand when the next one can’t be written, and begins that later', async () => {
    const next = await queued(await folder.open(), { chat_id });
    // Closing waits for the background write of the row, which reads the log.
    const store = await folder.open();
    const path = folder.log(next);
    await rename(path, `${path}.away`);
    expect(await store.append([endBatch(active.id, 2, { end: END })])).toEqual(['written']);
    expect(folder.problems).toHaveLength(1);
    expect(folder.problems[0]?.message).toContain(`${next.id} is next`);
    expect((await store.findActiveInteraction(uidOf(chat_id)))?.id).toBeUndefined();
    await rename(`${path}.away`, path);
    expect(await store.promoteQueued(at(80), uidOf(chat_id))).toEqual([next.id]);
    expect(await readAll(store, next.id)).toMatchObject([{ seq: 1, at: at(80) }]);
  });

  /** What these logs, and chat.json, were before `act` and what the logs are after it. */
  async function snapshots(
    rows: readonly InteractionRow[],
    act: (store: WholeStore) => Promise<unknown>,
  ) {
    const read = () => Promise.all(rows.map((row) => readFile(folder.log(row))));
    await folder.close();
    const before = (await read()) as [Buffer, Buffer];
    chatFile = await readFile(folder.chatFile(chat_id));
    await act(await folder.open());
    await folder.close();
    return { before, after: (await read()) as [Buffer, Buffer] };
  }

  async function restore(rows: readonly InteractionRow[], logs: readonly Buffer[]) {
    await folder.close();
    await writeFile(folder.chatFile(chat_id), chatFile);
    for (const [i, row] of rows.entries()) await writeFile(folder.log(row), logs[i]!);
    return folder.open();
  }

  function unfinished(store: WholeStore): Promise<InteractionRow[]> {
    return store.listUnfinished(uidOf(chat_id));
  }
});

/**
 * Some of the parts of `after` that are longer than `before`, the shortest and the longest among
 * them.
 */
function cuts(before: Buffer, after: Buffer): Buffer[] {
  const found: Buffer[] = [];
  const step = Math.ceil((after.length - before.length) / 40);
  for (let length = before.length + 1; length < after.length - 1; length += step)
    found.push(after.subarray(0, length));
  return [...some([...found, after.subarray(0, -1)], 8)];
}
