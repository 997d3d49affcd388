import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  at,
  chatId,
  ended,
  endBatch,
  exchange,
  HELD,
  newBatch,
  newChat,
  newRecord,
  newRequest,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import type { TableRows } from '../../src/storage/table-rows.js';
import { LOCAL } from '../support/store/chat-parts.js';
import { FileStoreFolder } from './file-store-folder.js';

describe('The file store', () => {
  let folder: FileStoreFolder;
  beforeEach(async () => (folder = await FileStoreFolder.make()));
  afterEach(() => folder.remove());

  it('keeps a chat as files that people can read', async () => {
    const store = await folder.open();
    const row = await ended(store, 'one', { user_message: 'How are you?', created_at: at(3) });
    await folder.close();

    const interactions = dirname(folder.log(row));
    const names = [`${row.id}.events.jsonl`, `${row.id}.json`];
    expect((await readdir(interactions)).toSorted()).toEqual(names);
    expect(await folder.readJson(folder.chatFile(row.chat_id))).toMatchObject({
      id: row.chat_id,
      head_interaction_id: row.id,
      updated_at: at(90), // its end
    });
    expect(await folder.readJson(folder.projection(row))).toMatchObject({
      id: row.id,
      status: 'COMPLETED',
      user_message: 'How are you?',
      last_seq: 2,
      final_agent_state: { messages: exchange('one') },
    });
    const lines = (await readFile(folder.log(row), 'utf8')).trimEnd().split('\n');
    const kinds = lines.map((line) => Object.keys(JSON.parse(line) as object)[0]);
    expect(kinds).toEqual(['start', 'seq', 'commit', 'seq', 'end', 'commit']);
  });

  it('keeps what deleted chats have used, also for a database', async () => {
    const usage = { input_tokens: 7, output_tokens: 1, cost_usd: 0.5 };
    const created_at = new Date().toISOString();
    const day = created_at.slice(0, 10);
    const query = { tenant_id: undefined, by: 'day', since: day, until: day, limit: 9 } as const;
    const sums = [
      { tenant_id: LOCAL.tenant_id, key: day, interactions: 2, usage, unpriced_tokens: 0 },
    ];
    const store = await folder.open();
    const rows = [
      await started(store, { created_at, lease: HELD }),
      await started(store, { created_at, lease: HELD }),
    ];
    await store.append([{ ...endBatch(rows[0]!.id, 2), usage }, endBatch(rows[1]!.id, 2)]);
    for (const { chat_uid } of rows) await store.deleteChat(chat_uid);

    const stores = await folder.openStores();
    expect(await stores.usage.sumUsage(query)).toEqual(sums);
    const found: TableRows[] = [];
    for await (const each of stores.readRows())
      if (each.table === 'deleted_usage_days') found.push(each);
    const [{ columns, rows: kept }] = found as [TableRows];
    const saved = Object.fromEntries(columns.map((name, at) => [name, kept[0]![at]]));
    expect(saved).toEqual({
      ...{ day, tenant_id: LOCAL.tenant_id, user_id: LOCAL.user_id, model: 'demo/script' },
      ...{ interactions: '2', model_interactions: '2', unpriced_tokens: '0' },
      ...{ input_tokens: '7', output_tokens: '1', cost_usd: '0.5' },
    });
    await stores.chats.removeLeftovers(AbortSignal.timeout(60_000));
    expect(await stores.usage.sumUsage(query)).toEqual(sums);
  });

  it('reads only the logs that have what is asked for', async () => {
    let store = await folder.open();
    const rows: InteractionRow[] = [];
    for (let n = 1; n <= 3; n++) {
      const row = await started(store, { lease: HELD });
      const requests = [newRequest(n)];
      const begun = { parent_agent_id: row.agent_id, agent_type: 'react', prompt: 'Go.' };
      const body = { type: 'AGENT_STARTED', ...begun } as const;
      const child = newRecord(row.id, 2, { agent_id: `agent_child_${n}`, body });
      await store.append([{ interaction_id: row.id, epoch: 1, records: [child], requests }]);
      await store.append([endBatch(row.id, 3)]);
      rows.push(row);
    }
    store = await folder.open();
    for (const row of rows.slice(1)) await rm(folder.log(row));
    const [first] = await store.listRequests({ limit: 1 });
    expect(first).toMatchObject({ interaction_id: rows[0]!.id, status: 'closed' });
    expect(await store.listRequests({ status: 'settled', limit: 9 })).toEqual([]);
    expect(await store.findInteractionOfAgent('agent_unknown')).toBeUndefined();
    expect((await store.findInteractionOfAgent('agent_child_1'))?.id).toBe(rows[0]!.id);
  });

  it('makes a projection anew that is not up to date', async () => {
    const row = await ended(await folder.open(), 'one');
    await folder.close();
    const path = folder.projection(row);
    const text = await readFile(path, 'utf8');
    for (const stale of [text.replace('"last_seq": 2', '"last_seq": 1'), text.slice(0, -9), '']) {
      await writeFile(path, stale);
      await folder.open();
      await folder.close();
      expect(await readFile(path, 'utf8')).toBe(text);
    }
    await rm(path);
    await folder.open();
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(folder.problems).toEqual([]);
  });

  it('makes a chat.json anew that is damaged, and keeps the old one', async () => {
    const store = await folder.open();
    const row = await started(store, { created_at: at(2) });
    const chat = await store.findChat(row.chat_id);
    await folder.close();
    const path = folder.chatFile(row.chat_id);
    await writeFile(path, '{"id": ');
    const again = await folder.open();
    expect(await again.findChat(row.chat_id)).toEqual(chat);
    expect(folder.problems).toEqual([{ path, message: expect.stringContaining('damaged') }]);
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe('{"id": ');
  });

  it('keeps what is before the damage in a log, and the damaged file aside', async () => {
    const store = await folder.open();
    const row = await started(store, { lease: HELD });
    for (const seq of [2, 3, 4]) await store.append([newBatch(row.id, [seq, seq])]);
    await folder.close();
    const path = folder.log(row);
    const damaged = (await readFile(path, 'utf8')).replace('{"seq":3', '{"se');
    await writeFile(path, `${damaged}{"cut`);
    const again = await folder.open();
    expect((await readAll(again, row.id)).map((record) => record.seq)).toEqual([1, 2]);
    expect(folder.problems).toEqual([{ path, message: expect.stringContaining('damaged') }]);
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe(`${damaged}{"cut`);
    expect(await again.append([newBatch(row.id, [3, 3])])).toEqual(['written']);
  });

  it('leaves out a log that can’t be read, and serves the rest', async () => {
    const store = await folder.open();
    const bad = await ended(store, 'one');
    const good = await ended(store, 'two');
    await folder.close();
    const text = await readFile(folder.log(bad), 'utf8');
    await writeFile(folder.log(bad), `not JSON${text}`);
    const again = await folder.open();
    expect(folder.problems.map((problem) => problem.path)).toEqual([folder.log(bad)]);
    expect(await again.findInteraction(bad.id)).toBeUndefined();
    expect(await again.findInteraction(good.id)).toMatchObject({ status: 'COMPLETED' });
    expect((await again.findChat(bad.chat_id))?.head_interaction_id).toBeNull();
  });

  it('leaves alone what is not its own', async () => {
    await folder.open();
    const foreign = folder.place('notes');
    await mkdir(foreign);
    await writeFile(join(foreign, 'mine.txt'), 'mine');
    await folder.open();
    expect(folder.problems.map((problem) => problem.path)).toEqual([foreign]);
    expect(await readFile(join(foreign, 'mine.txt'), 'utf8')).toBe('mine');
  });

  it('refuses a uid that would leave its folder', async () => {
    const store = await folder.open();
    for (const id of ['../up', 'a/b', '.', '', 'a.b']) {
      await expect(store.createChat(newChat({ uid: id }))).rejects.toMatchObject({
        code: 'invalid_id',
      });
      await expect(started(store, { id })).rejects.toMatchObject({ code: 'invalid_id' });
    }
    expect(await readdir(join(folder.path, 'chats'))).toEqual([]);
  });

  it('goes on after an append that could not be written', async () => {
    const store = await folder.open();
    const row = await started(store, { lease: HELD });
    const path = folder.log(row);
    await rename(path, `${path}.away`);
    await expect(store.append([newBatch(row.id, [2, 2])])).rejects.toThrow('ENOENT');
    expect(await store.readLastSeqs([row.id])).toEqual(new Map([[row.id, 1]]));
    await rename(`${path}.away`, path);
    expect(await store.append([newBatch(row.id, [2, 2])])).toEqual(['written']);
    expect(await readAll(store, row.id)).toHaveLength(2);
  });

  it('leaves nothing of an append that failed and could not be undone', async () => {
    const store = await folder.open();
    const row = await started(store, { lease: HELD });
    await store.append([newBatch(row.id, [2, 9])]);
    const failed = (await readFile(folder.log(row), 'utf8')).split('\n').slice(-10).join('\n');
    const seen = failed.replaceAll('"seq":', '"seq":1');
    await writeFile(folder.log(row), seen, { flag: 'a' }); // with its commit line, longer than what follows
    await store.append([newBatch(row.id, [10, 10])]);
    await folder.close();
    const again = await folder.open();
    expect((await readAll(again, row.id)).map(({ seq }) => seq)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(folder.problems).toEqual([]);
  });

  it('says when it can’t serve', async () => {
    const store = await folder.open();
    await rm(join(folder.path, 'chats'), { recursive: true });
    await expect(store.ping()).rejects.toThrow('ENOENT');
    await expect(store.createChat(newChat({ id: chatId() }))).rejects.toThrow('ENOENT');
  });
});
