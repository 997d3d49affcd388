import { messagesOf } from '../../../src/persistence/interaction.store.js';
import { uidOf } from '../../support/store/chat-parts.js';
import type { ChatOrder } from '../../../src/persistence/chat.store.js';
import type { Message } from '../../../src/protocol/message.js';
import type { ChatRow } from '../../../src/persistence/rows/chat-rows.js';
import { at, chatId, endBatch, ended, HELD, newChat, newEnd, started } from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

export function describeChats(tested: StoreUnderTest): void {
  describe('chats', () => {
    it('creates a chat and finds it again', async () => {
      const chat = newChat({
        title: 'Sums',
        settings: { agent: 'react' },
        metadata: { b: [1, null], a: 'ü' },
      });
      expect(await tested.store.createChat(chat)).toBe(true);
      const row = await tested.store.findChat(chat.id);
      expect(row).toEqual({
        ...{ ...chat, preview: null, head_interaction_id: null },
        updated_at: chat.created_at,
      });
      expect(JSON.stringify(row?.metadata)).toBe('{"b":[1,null],"a":"ü"}');
    });

    it('starts every branch from the messages of the chat', async () => {
      const messages: Message[] = [
        { role: 'user', content: 'I am Ann.' },
        { role: 'assistant', content: 'Hello Ann.' },
      ];
      const chat = newChat({ messages });
      await tested.store.createChat(chat);
      expect(await tested.store.readMessages(uidOf(chat.id))).toEqual(messages);
      expect(await tested.store.readMessages(uidOf(chatId()))).toEqual([]);
      const one = await ended(tested.store, 'one', { chat_id: chat.id });
      const two = await ended(tested.store, 'two', { chat_id: chat.id });
      expect(await tested.store.getPreviousState(one.id)).toEqual(messages);
      const before = await tested.store.getPreviousState(two.id);
      expect(before.slice(0, 2)).toEqual(messages);
      const edit = await started(tested.store, { chat_id: chat.id, edited_from: one.id });
      expect(await tested.store.getPreviousState(edit.id)).toEqual(messages);
      const bytes = 1_000_000;
      const state = await tested.store.findFinalState(two.id, bytes);
      expect(messagesOf(state!).slice(0, before.length)).toEqual(before);
      expect(await tested.store.findFinalState(one.id, 60)).toBeUndefined();
    });

    it('refuses a taken id and leaves the chat as it was', async () => {
      const chat = newChat({ title: 'first' });
      await tested.store.createChat(chat);
      expect(await tested.store.createChat({ ...chat, title: 'second' })).toBe(false);
      expect((await tested.store.findChat(chat.id))?.title).toBe('first');
    });

    it('lets one of many concurrent creations have the id', async () => {
      const chat = newChat();
      const tries = Array.from({ length: 20 }, () => tested.store.createChat(chat));
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });

    it('tells ids apart that differ only in case', async () => {
      const upper = newChat({ id: `Case-${chatId()}`, title: 'upper' });
      const lower = newChat({ id: `case-${upper.id.slice(5)}`, title: 'lower' });
      expect(await tested.store.createChat(upper)).toBe(true);
      expect(await tested.store.createChat(lower)).toBe(true);
      expect((await tested.store.findChat(upper.id))?.title).toBe('upper');
      expect((await tested.store.findChat(lower.id))?.title).toBe('lower');
    });

    it('finds no chat that is not there', async () => {
      expect(await tested.store.findChat(chatId())).toBeUndefined();
    });

    it('patches what is given and nothing else', async () => {
      const chat = newChat({ title: 'old', settings: { agent: 'react' }, metadata: { a: 1 } });
      await tested.store.createChat(chat);
      const before = await tested.store.findChat(chat.id);
      const titled = await tested.store.updateChat(uidOf(chat.id), {
        title: 'new',
        updated_at: at(5),
      });
      expect(titled).toEqual({ ...before, title: 'new', updated_at: at(5) });
      const cleared = await tested.store.updateChat(uidOf(chat.id), {
        title: null,
        metadata: { z: 1, y: 2 },
        updated_at: at(6),
      });
      expect(cleared).toMatchObject({ title: null, settings: chat.settings, updated_at: at(6) });
      const settings = { system_prompt: 'Be brief.', context_messages: 3 };
      const uid = uidOf(chat.id);
      await tested.store.updateChat(uid, { settings, updated_at: at(6) });
      expect(await tested.store.findChat(chat.id)).toEqual({ ...cleared, settings });
      await tested.store.updateChat(uid, { settings: chat.settings, updated_at: at(6) });
      expect(JSON.stringify(cleared?.metadata)).toBe('{"z":1,"y":2}');
      expect(await tested.store.findChat(chat.id)).toEqual(cleared);
    });

    it('patches no chat that is not there', async () => {
      const patched = await tested.store.updateChat(uidOf(chatId()), {
        title: 'x',
        updated_at: at(1),
      });
      expect(patched).toBeUndefined();
    });

    describePaging(tested);
    describeDeletion(tested);
  });
}

function describePaging(tested: StoreUnderTest): void {
  const future = (year: number) => `${year}-06-01T00:00:00.000Z`;

  it('lists newest first and pages through equal times without loss or repetition', async () => {
    const chats = Array.from({ length: 7 }, (_, i) =>
      newChat({ created_at: future(i < 2 ? 2101 : 2100) }),
    );
    for (const chat of chats) await tested.store.createChat(chat);
    const expected = chats.toSorted((a, b) => (key(a) < key(b) ? 1 : -1)).map((chat) => chat.id);

    const seen = await listPages(tested, { order: 'created', limit: 2, count: 7 });
    expect(seen.map((chat) => chat.id)).toEqual(expected);
  });

  it('shows as title the first message, and as preview the last text of its head', async () => {
    const find = async (id: string) => (await tested.store.findChat(id))!;
    const user_message = ` Two\nlines ${'x'.repeat(300)}`;
    const row = await started(tested.store, { user_message, lease: HELD });
    const title = `Two lines ${'x'.repeat(69)}…`;
    expect(await find(row.chat_id)).toMatchObject({
      ...{ title, preview: `Two lines ${'x'.repeat(189)}…`, updated_at: row.created_at },
    });
    await tested.store.append([endBatch(row.id, 2, { end: newEnd('\u0000Forty-two', {}) })]);
    expect(await find(row.chat_id)).toMatchObject({ title, preview: 'Forty-two!' });
    await ended(tested.store, 'Next', { chat_id: row.chat_id });
    const changed = await find(row.chat_id);
    expect(changed.title).toBe(title);
    expect(changed.preview).toMatch(/Next/);
    await tested.store.updateChat(row.chat_uid, { preview: 'Other', updated_at: at(200) });
    expect(await find(row.chat_id)).toEqual({ ...changed, preview: 'Other', updated_at: at(200) });
  });

  it('keeps the title that was given', async () => {
    const chat = newChat({ title: 'Given' });
    await tested.store.createChat(chat);
    const { chat_id } = await started(tested.store, { chat_id: chat.id });
    expect((await tested.store.findChat(chat_id))?.title).toBe('Given');
  });

  it('pages through ids of mixed case and punctuation, each once', async () => {
    const tag = chatId().slice(-12);
    const created_at = future(2200);
    const names = ['a', 'B', 'b', 'A', '_a', '-a', 'Z_', 'z-', '0'];
    const wanted = names.map((name) => `${name}${tag}`);
    for (const id of wanted) await tested.store.createChat(newChat({ id, created_at }));
    const seen = await listPages(tested, { order: 'created', limit: 2, count: wanted.length });
    expect(new Set(seen.map((chat) => chat.id))).toEqual(new Set(wanted));
  });

  it('lists the last changed first: created, changed, begun or ended', async () => {
    const [begun, changed, closed, untouched] = Array.from({ length: 4 }, (_, i) =>
      newChat({ created_at: future(2301 + i) }),
    );
    for (const chat of [begun!, changed!, closed!, untouched!]) await tested.store.createChat(chat);
    const { id } = await started(tested.store, {
      ...{ chat_id: closed!.id, lease: HELD, created_at: future(2305) },
    });
    await tested.store.updateChat(changed!.uid, { title: 'New', updated_at: future(2307) });
    await started(tested.store, { chat_id: begun!.id, created_at: future(2306) });
    const end = newEnd('late', { completed_at: future(2308) });
    await tested.store.append([endBatch(id, 2, { end })]);
    const seen = await listPages(tested, { order: 'updated', limit: 2, count: 4 });
    const expected = [closed!, changed!, begun!, untouched!].map((chat) => chat.id);
    expect(seen.map((chat) => chat.id)).toEqual(expected);
    const [first] = await listPages(tested, { order: 'created', limit: 1, count: 1 });
    expect(first!.id).toBe(untouched!.id);
  });
}

const key = (chat: { created_at: string; id: string }) => `${chat.created_at} ${chat.id}`;

async function listPages(
  tested: StoreUnderTest,
  { order, limit, count }: { order: ChatOrder; limit: number; count: number },
): Promise<ChatRow[]> {
  const seen: ChatRow[] = [];
  while (seen.length < count) {
    const last = seen.at(-1);
    const time = order === 'created' ? last?.created_at : last?.updated_at;
    const before = last && time !== undefined && { at: time, id: last.id };
    const page = await tested.store.listChats({ order, limit, ...(before && { before }) });
    expect(page).toHaveLength(limit);
    seen.push(...page);
  }
  return seen.slice(0, count);
}

function describeDeletion(tested: StoreUnderTest): void {
  it('deletes a chat with everything of it', async () => {
    const first = await ended(tested.store, 'one');
    const second = await ended(tested.store, 'two', { chat_id: first.chat_id });
    expect(await tested.store.deleteChat(uidOf(first.chat_id))).toBe('deleted');
    expect(await tested.store.findChat(first.chat_id)).toBeUndefined();
    for (const { id } of [first, second]) {
      expect(await tested.store.findInteraction(id)).toBeUndefined();
      expect(await tested.store.readRecords(id, { after: 0, limit: 10 })).toEqual([]);
      expect(await tested.store.readLastSeqs([id])).toEqual(new Map());
      expect(await tested.store.findAddedMessages([id])).toEqual(new Map());
      expect(await tested.store.acquireLease(id, { owner: 'x', ttl_ms: 1000 })).toBeUndefined();
    }
    expect(await tested.store.deleteChat(uidOf(first.chat_id))).toBe('unknown');
  });

  it('gives a deleted id to a new chat that has nothing of the old one', async () => {
    const idempotency = { key: 'k', fingerprint: 'f' };
    const old = await ended(tested.store, 'one', { idempotency });
    await tested.store.deleteChat(uidOf(old.chat_id));
    const again = await started(tested.store, { chat_id: old.chat_id, idempotency });
    expect(again.parent_id).toBeNull();
    expect(await tested.store.getPreviousState(again.id)).toEqual([]);
  });

  it('deletes no chat that is busy', async () => {
    const active = await started(tested.store);
    expect(await tested.store.deleteChat(uidOf(active.chat_id))).toBe('busy');
    expect(await tested.store.findInteraction(active.id)).toEqual(active);
  });

  it('finds the chats without a change, a run or an end since a time, slice by slice', async () => {
    const old = await ended(tested.store, 'old');
    const empty = newChat();
    await tested.store.createChat(empty);
    const changed = newChat();
    await tested.store.createChat(changed);
    await tested.store.updateChat(changed.uid, { title: 'Changed', updated_at: at(100) });
    const completed = { end: newEnd('late', { completed_at: at(100) }) };
    const late = await started(tested.store, { lease: HELD });
    await tested.store.append([endBatch(late.id, 2, completed)]);
    const { chat_uid: running } = await started(tested.store);
    const found: string[] = [];
    for (let after: string | undefined, isLast = false; !isLast;) {
      const slice = { before: at(99), limit: 2, ...(after !== undefined && { after }) };
      const { uids, next } = await tested.store.listUntouched(slice);
      expect(uids.length).toBeLessThanOrEqual(2);
      found.push(...uids);
      isLast = next === undefined;
      after = next;
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(found.toSorted());
    const own = [old.chat_uid, empty.uid, changed.uid, late.chat_uid, running];
    expect(own.filter((uid) => found.includes(uid))).toEqual([old.chat_uid, empty.uid]);
  });

  it('deletes no chat that was touched since a time', async () => {
    const row = await ended(tested.store, 'one');
    const remove = (second: number) => tested.store.deleteChat(row.chat_uid, at(second));
    expect(await remove(90)).toBe('busy'); // when it ended
    await tested.store.updateChat(row.chat_uid, { title: 'Changed', updated_at: at(100) });
    expect(await remove(100)).toBe('busy');
    expect(await tested.store.findInteraction(row.id)).toBeDefined();
    expect(await remove(101)).toBe('deleted');
  });

  it('deletes no chat that is not there', async () => {
    expect(await tested.store.deleteChat(uidOf(chatId()))).toBe('unknown');
  });
}
