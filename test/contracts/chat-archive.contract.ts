import { randomUUID } from 'node:crypto';
import { chatOf, LOCAL, uidOf } from '../support/store/chat-parts.js';
import type {
  ArchivedFile,
  ArchivedInteraction,
  ChatArchive,
} from '../../src/persistence/chat-archive.js';
import type { FileCatalog } from '../../src/files/file-catalog.js';
import type { WholeStore } from '../support/store/whole-store.js';
import type { LogRecord } from '../../src/persistence/rows/log-record.js';
import type { RequestRow } from '../../src/persistence/rows/request-rows.js';
import type { ChatRow } from '../../src/persistence/rows/chat-rows.js';
import {
  at,
  chatId,
  ended,
  exchange,
  HELD,
  interactionId,
  newRecord,
  newRequest,
  newStart,
  queued,
  readAll,
  started,
} from './interaction-store/fixtures.js';

export interface OpenedArchive {
  readonly archive: ChatArchive;
  readonly files: FileCatalog;
  /** The same saved data. */
  readonly store: WholeStore;
  /** Closes both and opens them anew, as a restarted process would. */
  reopen(): Promise<Pick<OpenedArchive, 'archive' | 'files' | 'store'>>;
  close(): Promise<void>;
}

interface Incoming {
  readonly row: ArchivedInteraction;
  readonly records: readonly LogRecord[];
  readonly requests: readonly RequestRow[];
}

/**
 * What every `ChatArchive` must do: read whole chats page by page, and bring one in whole or not at
 * all.
 */
export function chatArchiveContract(name: string, open: () => Promise<OpenedArchive>): void {
  describe(`${name} as a ChatArchive`, () => {
    let opened: OpenedArchive;
    let archive: ChatArchive;
    let files: FileCatalog;
    let store: WholeStore;
    beforeAll(async () => {
      opened = await open();
      ({ archive, files, store } = opened);
    });
    afterAll(() => opened.close());

    it('lists interactions of all branches and of the queue, by id, page by page', async () => {
      const first = await ended(store, 'one');
      const { chat_id } = first;
      const second = await ended(store, 'two', { chat_id });
      const third = await started(store, { chat_id, edited_from: second.id, lease: HELD });
      const waiting = await queued(store, { chat_id });
      await ended(store, 'elsewhere');
      const rows = await listAll(chat_id, 2);
      expect(rows.map(({ id }) => id)).toEqual([first.id, second.id, third.id, waiting.id]);
      expect(rows.map(({ begun }) => begun)).toEqual([true, true, true, false]);
      expect(rows[1]).toEqual({ ...(await store.findInteraction(second.id)), begun: true });
      expect(await archive.findLastInteractionId(uidOf(chat_id))).toBe(waiting.id);
      expect(await archive.listInteractions(uidOf(chatId()), { limit: 9 })).toEqual([]);
      expect(await archive.findLastInteractionId(uidOf(chatId()))).toBeUndefined();
    });

    it('shows nothing of a chat that is being brought in, then all of it at once', async () => {
      const chat = newChatRow();
      const [first, second] = [incoming(chat.id), incoming(chat.id)];
      const receiving = await archive.receive(chat);
      for (const each of [first, second]) {
        await receiving.append(each.row, each.records.slice(0, 2));
        await receiving.append(each.row, each.records.slice(2));
        await receiving.end(each.row, { ...each, added_messages: exchange(each.row.id) });
      }
      expect(await findTraces(chat.id, [first, second])).toEqual([]);
      const row = { ...chat, head_interaction_id: second.row.id };
      expect(await receiving.commit(row)).toBe(true);
      for (const look of ['at once', 'after a restart']) {
        if (look !== 'at once') await reopen();
        expect(await store.findChat(chat.id)).toEqual(row);
        expect((await store.listChats({ limit: 200 })).map(({ id }) => id)).toContain(chat.id);
        expect(await listAll(chat.id, 1)).toEqual([
          { ...first.row, superseded_at: chat.updated_at },
          second.row,
        ]);
        expect(await readAll(store, first.row.id)).toEqual(first.records);
        const requests = await store.listRequests({ chat_uid: uidOf(chat.id), limit: 9 });
        expect(requests).toEqual([...first.requests, ...second.requests].sort(byId));
        expect(await store.findRequest(first.requests[0]!.id)).toEqual(first.requests[0]);
        const added = await store.findAddedMessages([second.row.id]);
        expect(added.get(second.row.id)).toEqual(exchange(second.row.id));
      }
    });

    it('goes on from what was brought in', async () => {
      const chat = newChatRow();
      const { row } = await bringIn(chat);
      const next = await ended(store, 'next', { chat_id: chat.id });
      expect(next.parent_id).toBe(row.id);
      expect(await store.getPreviousState(next.id)).toEqual(exchange(row.id));
      const unowned = await store.listUnowned(1_000);
      expect(unowned.map(({ id }) => id)).not.toContain(row.id);
    });

    it('keeps what never began from becoming the head', async () => {
      const chat = newChatRow();
      const superseded_at = at(50);
      const never = incoming(chat.id, { begun: false, superseded_at });
      const receiving = await archive.receive(chat);
      await receiving.append(never.row, never.records);
      await receiving.end(never.row, { ...never, added_messages: exchange('never') });
      expect(await receiving.commit(chat)).toBe(true);
      expect(await store.switchHead(uidOf(chat.id), never.row.id, at(60))).toBe('unknown');
      expect(await listAll(chat.id, 9)).toEqual([never.row]);
    });

    it('brings nothing in under an id that is taken', async () => {
      const { chat_id } = await ended(store, 'mine');
      const before = await store.findChat(chat_id);
      const theirs = incoming(chat_id);
      const chat = { ...newChatRow(), id: chat_id, head_interaction_id: theirs.row.id };
      const receiving = await archive.receive(chat);
      await receiving.append(theirs.row, theirs.records);
      await receiving.end(theirs.row, { ...theirs, added_messages: [] });
      expect(await receiving.commit(chat)).toBe(false);
      expect(await store.findChat(chat_id)).toEqual(before);
      expect(await store.findInteraction(theirs.row.id)).toBeUndefined();
      expect(await listAll(chat_id, 9)).toHaveLength(1);
    });

    it('brings in an id that another tenant has', async () => {
      const mine = await ended(store, 'mine');
      const { chat_id } = mine;
      const theirs = incoming(chat_id, { chat_uid: randomUUID(), tenant_id: 'another' });
      const { chat_uid: uid, tenant_id } = theirs.row;
      const chat = { ...newChatRow(), id: chat_id, uid, tenant_id };
      const receiving = await archive.receive(chat);
      await receiving.append(theirs.row, theirs.records);
      await receiving.end(theirs.row, { ...theirs, added_messages: [] });
      expect(await receiving.commit({ ...chat, head_interaction_id: theirs.row.id })).toBe(true);
      expect((await store.findChat(chat_id))?.uid).toBe(mine.chat_uid);
      expect((await store.findChat(chat_id, { ...LOCAL, tenant_id }))?.uid).toBe(uid);
      const ids = async (of: string) =>
        (await archive.listInteractions(of, { limit: 9 })).map(({ id }) => id);
      expect(await ids(uid)).toEqual([theirs.row.id]);
      expect(await ids(mine.chat_uid)).toEqual([mine.id]);
    });

    it('brings in one of two that want the same id at once', async () => {
      const chat = newChatRow();
      const chats = [chat, { ...newChatRow(), id: chat.id }];
      const both = await Promise.all(chats.map((each) => archive.receive(each)));
      const outcomes = await Promise.all(both.map((each, n) => each.commit(chats[n]!)));
      expect(outcomes.filter(Boolean)).toEqual([true]);
    });

    it('brings in files with their chat, or not at all', async () => {
      const chat = newChatRow();
      const again = { ...newChatRow(), id: chat.id };
      const [file, late] = [fileOf(chat), fileOf(again)];
      const both = [await archive.receive(chat), await archive.receive(again)];
      expect(await both[0]!.commit({ ...chat, files: [file] })).toBe(true);
      expect(await both[1]!.commit({ ...again, files: [late] })).toBe(false);
      for (const look of ['at once', 'after a restart']) {
        if (look !== 'at once') await reopen();
        const page = { viewer: LOCAL, limit: 9 };
        expect(await files.list({ ...page, chat_uid: chat.uid })).toEqual([file]);
        expect(await files.findKnown([file.id, late.id])).toEqual([file.id]);
      }
    });

    it('forgets what is discarded, and what a process left', async () => {
      const [discarded, left] = [newChatRow(), newChatRow()];
      const all: Incoming[] = [];
      for (const chat of [discarded, left]) {
        const each = incoming(chat.id);
        const receiving = await archive.receive(chat);
        await receiving.append(each.row, each.records);
        await receiving.end(each.row, { ...each, added_messages: [] });
        if (chat === discarded) await receiving.discard();
        all.push(each);
      }
      await reopen();
      expect(await findTraces(discarded.id, all)).toEqual([]);
      expect(await findTraces(left.id, all)).toEqual([]);
      const anew = newStart({ chat_id: left.id });
      expect((await store.startInteraction(anew)).outcome).toBe('started');
    });

    it('keeps text that databases refuse elsewhere', async () => {
      const chat = newChatRow();
      const odd = 'U+0000 \0, a lone surrogate \ud800, \u2028 and 😀';
      const { row, records } = await bringIn(chat, odd);
      expect(await readAll(store, row.id)).toEqual(records);
      expect(JSON.stringify(records)).toContain('lone surrogate \\ud800');
    });

    async function bringIn(chat: ChatRow, text?: string): Promise<Incoming> {
      const each = incoming(chat.id, {}, text);
      const receiving = await archive.receive(chat);
      await receiving.append(each.row, each.records);
      await receiving.end(each.row, { ...each, added_messages: exchange(each.row.id) });
      expect(await receiving.commit({ ...chat, head_interaction_id: each.row.id })).toBe(true);
      return each;
    }

    async function reopen(): Promise<void> {
      ({ archive, files, store } = await opened.reopen());
    }

    async function listAll(chat_id: string, limit: number): Promise<ArchivedInteraction[]> {
      const rows: ArchivedInteraction[] = [];
      for (let after = ''; ; after = rows.at(-1)!.id) {
        const page = await archive.listInteractions(uidOf(chat_id), { limit, after });
        rows.push(...page);
        if (page.length < limit) return rows;
      }
    }

    /** Everything by which somebody could notice that a chat is there. */
    async function findTraces(chat_id: string, all: readonly Incoming[]): Promise<unknown[]> {
      const chats = await store.listChats({ limit: 1_000 });
      const found = await Promise.all([
        store.findChat(chat_id),
        ...all.map(({ row }) => store.findInteraction(row.id)),
        ...all.map(({ requests }) => store.findRequest(requests[0]!.id)),
      ]);
      const lists = await Promise.all([
        archive.listInteractions(uidOf(chat_id), { limit: 9 }),
        store.listInteractions({ chat_uid: uidOf(chat_id), superseded: true, limit: 9 }),
        store.listRequests({ chat_uid: uidOf(chat_id), limit: 9 }),
        ...all.map(({ row }) => readAll(store, row.id)),
      ]);
      return [
        ...found.filter(Boolean),
        ...lists.flat(),
        ...chats.filter(({ id }) => id === chat_id),
      ];
    }
  });
}

function newChatRow(): ChatRow {
  const times = { created_at: at(1), updated_at: at(99) };
  const metadata = { from: 'elsewhere' };
  const settings = { agent: 'react' };
  const chat = chatOf({ id: chatId(), title: 'Brought in', settings, ...times, metadata });
  return { ...chat, preview: 'Last', head_interaction_id: null, updated_at: times.updated_at };
}

function fileOf({ uid, id, tenant_id, owner }: ChatRow): ArchivedFile {
  const whose = { tenant_id, owner, chat_uid: uid, chat_id: id };
  const named = { id: `file_${randomUUID()}`, filename: 'Grüße "1".txt', mime_type: 'text/plain' };
  return { ...named, ...whose, size_bytes: 2 ** 40, sha256: 'ab', created_at: at(3) };
}

/** One that ended, with 4 records, a request that was settled and one that was not. */
function incoming(
  chat_id: string,
  overrides: Partial<ArchivedInteraction> = {},
  text = 'text',
): Incoming {
  const id = interactionId();
  const { interaction, chat, viewer } = newStart({ chat_id, id });
  const owner = { chat_uid: chat.uid, tenant_id: viewer.tenant_id, started_by: viewer.user_id };
  const { user_message, agent, model, agent_id } = interaction;
  const row: ArchivedInteraction = {
    ...{
      ...interaction,
      ...owner,
      parent_id: null,
      status: 'FAILED',
      error: { code: 'odd', message: 'Odd.' },
    },
    ...{ completed_at: at(90), superseded_at: null },
    usage: {
      ...{ input_tokens: 3, output_tokens: 4 },
      ...{ cached_tokens: 2, cache_write_tokens: 1, reasoning_tokens: 0, cost_usd: 0.25 },
    },
    ...{ last_seq: 4, epoch: 3, edited_from: null, signals: 0, begun: true },
    ...{ cancel_reason: null, cancelled_by: null, waits_for: null },
    ...overrides,
  };
  const records = [
    newRecord(id, 1, {
      ...{ agent_id, key: null, hidden: null },
      body: {
        type: 'INTERACTION_STARTED',
        ...{ chat_id, user_message, agent, model, parent_id: null },
      },
    }),
    newRecord(id, 2, { body: { type: 'MESSAGE', block_id: '1b0', content: text } }),
    newRecord(id, 3, { epoch: 3, hidden: { text, deep: [{ a: null }] } }),
    newRecord(id, 4, { body: { type: 'INTERACTION_COMPLETE', status: 'FAILED' } }),
  ];
  return { row, records, requests: [settledRequest(row), closedRequest(row)].sort(byId) };
}

function settledRequest(row: ArchivedInteraction): RequestRow {
  const settlement = {
    kind: 'input',
    answer: 'Yes',
    by: { kind: 'user', user_id: 'ann' },
  } as const;
  const times = { created_at: at(2), settled_at: at(20) };
  return { ...newRequest(2), ...placeOf(row), status: 'settled', settlement, ...times };
}

function closedRequest(row: ArchivedInteraction): RequestRow {
  const times = { created_at: at(2), settled_at: at(90) };
  return {
    ...newRequest(3),
    ...placeOf(row),
    status: 'closed',
    settlement: null,
    ...times,
  };
}

function placeOf({ id: interaction_id, chat_id, chat_uid, tenant_id }: ArchivedInteraction) {
  return { interaction_id, chat_id, chat_uid, tenant_id };
}

function byId(a: RequestRow, b: RequestRow): number {
  return a.id < b.id ? -1 : 1;
}
