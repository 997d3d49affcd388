import { uidOf } from '../support/store/chat-parts.js';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import type { AppendBatch } from '../../src/persistence/rows/append-rows.js';
import {
  acquireOnceFree,
  at,
  chatId,
  ended,
  endBatch,
  HELD,
  newBatch,
  newStart,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import { FileStoreFolder } from '../storage/file-store-folder.js';
import { some } from '../support/thoroughness.js';

/** What a killed process leaves is some part of what it was writing, from the beginning. */
describe('The file store, killed in the middle of a write (I3)', () => {
  let folder: FileStoreFolder;
  beforeEach(async () => (folder = await FileStoreFolder.make()));
  afterEach(() => folder.remove());

  it('drops a cut append whole wherever it was cut, says so, and goes on', async () => {
    const row = await started(await folder.open(), { lease: HELD });
    const { before, whole } = await appendAlone(
      row,
      newBatch(row.id, [2, 3], { status: 'WAITING_INPUT' }),
    );
    for (const length of cuts(before, whole)) {
      await writeFile(folder.log(row), whole.subarray(0, length));
      await expectCut(row, { kept: length === whole.length, clean: length === before });
    }
  });

  it('drops a cut end whole: the interaction goes on, and the projection with it', async () => {
    const row = await started(await folder.open(), { lease: HELD });
    const { before, whole } = await appendAlone(row, endBatch(row.id, 2));
    for (const length of cuts(before, whole)) {
      await writeFile(folder.log(row), whole.subarray(0, length));
      const store = await folder.open();
      const ended = length === whole.length;
      const status = ended ? 'COMPLETED' : 'RUNNING';
      expect(await store.findInteraction(row.id)).toMatchObject({ status });
      expect((await store.findAddedMessages([row.id])).size).toBe(ended ? 1 : 0);
      const projection = await folder.readJson(folder.projection(row));
      expect(projection).toMatchObject({ status, last_seq: ended ? 2 : 1 });
      expect(projection.final_agent_state === null).toBe(!ended);
    }
  });

  it('drops a cut lease: nobody has heard of it', async () => {
    const row = await started(await folder.open());
    const before = await readFile(folder.log(row));
    const store = await folder.open();
    await store.acquireLease(row.id, HELD);
    await folder.close();
    const whole = await readFile(folder.log(row));
    for (const length of cuts(before.length, whole).slice(0, -1)) {
      await writeFile(folder.log(row), whole.subarray(0, length));
      const lease = await (await folder.open()).acquireLease(row.id, HELD);
      expect(lease).toMatchObject({ interaction: { epoch: 1 }, lost_owner: null });
    }
  });

  it('has a new chat with its first interaction, or neither', async () => {
    const row = await started(await folder.open(), { created_at: at(4) });
    const chat = await (await folder.open()).findChat(row.chat_id);
    await folder.close();
    const whole = await readFile(folder.log(row));
    for (const length of cuts(0, whole)) {
      await rm(folder.chat(row.chat_id), { recursive: true });
      await mkdir(dirname(folder.log(row)), { recursive: true });
      await writeFile(folder.log(row), whole.subarray(0, length));
      const store = await folder.open();
      const there = length === whole.length;
      expect(await store.findChat(row.chat_id)).toEqual(there ? chat : undefined);
      expect(await store.findInteraction(row.id)).toEqual(there ? row : undefined);
      expect(folder.problems.length > 0).toBe(!there);
      if (there) return;
      const again = await store.startInteraction(newStart({ chat_id: row.chat_id, id: row.id }));
      expect(again.outcome).toBe('started');
      await folder.close();
    }
    throw new Error('The whole start was never tried.');
  }, 300_000); // with EXHAUSTIVE=1, some thousand stores are opened

  it('has the next interaction of a chat, or the chat as it was', async () => {
    const first = await ended(await folder.open(), 'one', { created_at: at(1) });
    await folder.close();
    const before = await readFile(folder.chatFile(first.chat_id));
    const next = await started(await folder.open(), {
      chat_id: first.chat_id,
      created_at: at(100),
    });
    await folder.close();
    const whole = await readFile(folder.log(next));
    for (const length of [0, 1, whole.length - 1, whole.length]) {
      await writeFile(folder.chatFile(first.chat_id), before);
      await writeFile(folder.log(next), whole.subarray(0, length));
      const store = await folder.open();
      const there = length === whole.length;
      const [head, updated_at] = there ? [next, at(100)] : [first, at(90)]; // start, end
      expect(await store.findChat(first.chat_id)).toMatchObject({
        head_interaction_id: head.id,
        updated_at,
      });
      expect((await store.findActiveInteraction(uidOf(first.chat_id)))?.id).toBe(
        there ? next.id : undefined,
      );
      await folder.close();
      expect(await folder.readJson(folder.chatFile(first.chat_id))).toMatchObject({
        head_interaction_id: head.id,
      });
    }
  });

  it('has no chat whose creation was cut, and its id is free', async () => {
    const id = chatId();
    await folder.open();
    await mkdir(join(folder.chat(id), 'interactions'), { recursive: true });
    await writeFile(`${folder.chatFile(id)}.tmp`, '{"id":');
    const store = await folder.open();
    expect(folder.problems).toEqual([
      { path: folder.chat(id), message: expect.stringContaining('removed') },
    ]);
    expect(await store.findChat(id)).toBeUndefined();
    await started(store, { chat_id: id });
    expect(await readdir(join(folder.path, 'chats'))).toEqual([uidOf(id)]);
  });

  it('finishes a deletion', async () => {
    const row = await ended(await folder.open(), 'one');
    await folder.close();
    await rename(folder.chat(row.chat_id), folder.place('.deleted-1'));
    await rm(join(folder.place('.deleted-1'), 'chat.json'));
    const store = await folder.open();
    expect(await store.findChat(row.chat_id)).toBeUndefined();
    expect(await readdir(join(folder.path, 'chats'))).toEqual([]);
    expect(folder.problems).toEqual([]);
  });

  it('clears away files that were being replaced', async () => {
    const row = await ended(await folder.open(), 'one');
    await folder.close();
    const paths = [folder.chatFile(row.chat_id), folder.projection(row)];
    for (const path of paths) await writeFile(`${path}.tmp`, '{');
    const store = await folder.open();
    expect(await store.findInteraction(row.id)).toMatchObject({ status: 'COMPLETED' });
    expect(await readdir(folder.chat(row.chat_id))).toEqual(['chat.json', 'interactions']);
    expect(await readdir(dirname(folder.log(row)))).toHaveLength(2);
  });

  /** The log's length before an append, and what it is after. */
  async function appendAlone(row: InteractionRow, batch: AppendBatch) {
    const before = (await readFile(folder.log(row))).length;
    const store = await folder.open();
    expect(await store.append([batch])).toEqual(['written']);
    await folder.close();
    return { before, whole: await readFile(folder.log(row)) };
  }

  async function expectCut(
    row: InteractionRow,
    { kept, clean }: { kept: boolean; clean: boolean },
  ) {
    const store = await folder.open();
    const last = kept ? 3 : 1;
    const told = folder.problems.map((problem) => problem.path);
    expect(told).toEqual(kept || clean ? [] : [folder.log(row)]);
    const status = kept ? 'WAITING_INPUT' : 'RUNNING';
    expect(await store.findInteraction(row.id)).toMatchObject({ status, last_seq: last });
    expect(await readAll(store, row.id)).toHaveLength(last);
    const { interaction } = await acquireOnceFree(store, row.id);
    const next = newBatch(row.id, [last + 1, last + 2], { epoch: interaction.epoch });
    expect(await store.append([next])).toEqual(['written']);
    expect((await readAll(store, row.id)).slice(last)).toEqual(next.records);
    await folder.close();
  }
});

/** Lengths of a file between one of before and the whole, both included. */
function cuts(before: number, whole: Buffer): readonly number[] {
  const all = Array.from({ length: whole.length - before + 1 }, (_, more) => before + more);
  return some(all, 25);
}
