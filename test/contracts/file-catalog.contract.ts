import { randomUUID } from 'node:crypto';
import type { FileCatalog, FileRow } from '../../src/files/file-catalog.js';
import { ANY_TENANT } from '../../src/persistence/any-tenant.js';
import type { ChatStore } from '../../src/persistence/chat.store.js';
import type { InteractionStore } from '../../src/persistence/interaction.store.js';
import type { Viewer } from '../../src/persistence/viewer.js';
import type { UsageStore } from '../../src/quotas/usage-store.js';
import { chatOf, uidOf } from '../support/store/chat-parts.js';
import { newStart } from './interaction-store/fixtures.js';

export interface OpenedFileCatalog {
  readonly files: FileCatalog;
  /** Where the chats are. */
  readonly chats: ChatStore;
  readonly interactions: InteractionStore;
  readonly usage: UsageStore;
  /**
   * Closes them and opens them again over the same saved data; undefined where nothing is saved.
   */
  reopen?(): Promise<void>;
  close(): Promise<void>;
}

const LONG_AGO = '2026-01-01T00:00:00.000Z';
let made = 0;

/** What every `FileCatalog` must do. Every test has a tenant of its own. */
export function fileCatalogContract(name: string, open: () => Promise<OpenedFileCatalog>): void {
  describe(`${name} as a FileCatalog`, () => {
    let opened: OpenedFileCatalog;
    let ann: Viewer;
    let bob: Viewer;
    let admin: Viewer;
    let stranger: Viewer;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    beforeEach(() => {
      const tenant_id = `tenant-${++made}-${randomUUID().slice(0, 8)}`;
      ann = { tenant_id, user_id: 'ann', is_admin: false };
      bob = { ...ann, user_id: 'bob' };
      admin = { ...ann, user_id: 'ada', is_admin: true };
      stranger = { tenant_id: `${tenant_id}-other`, user_id: 'ann', is_admin: true };
    });

    const files = () => opened.files;
    /** Younger than those before it. */
    const file = (more: Partial<FileRow> = {}): FileRow => ({
      id: `file_${randomUUID()}`,
      tenant_id: ann.tenant_id,
      owner: 'ann',
      chat_uid: null,
      chat_id: null,
      filename: 'Übersicht 😀.pdf',
      mime_type: 'application/pdf',
      size_bytes: 5_000_000_000,
      sha256: 'ab'.repeat(32),
      created_at: new Date(Date.UTC(2026, 0, 2, 0, 0, 0, ++made)).toISOString(),
      ...more,
    });
    const add = async (more: Partial<FileRow> = {}): Promise<FileRow> => {
      const row = file(more);
      expect(await files().add(row)).toBe('added');
      return row;
    };
    const newChat = async (visibility: 'private' | 'tenant' = 'private') => {
      const id = `chat-${randomUUID()}`;
      const owned = { tenant_id: ann.tenant_id, owner: 'ann', visibility } as const;
      await opened.chats.createChat(chatOf({ id, created_at: LONG_AGO, ...owned }));
      return { chat_id: id, chat_uid: uidOf(id) };
    };
    const deleted = async (): Promise<string[]> =>
      (await files().listDeleted({ limit: 1000 })).map(({ id }) => id);

    it('keeps a file as it was added', async () => {
      const own = await add();
      const ofChat = await add(await newChat());
      for (const row of [own, ofChat]) expect(await files().find(row.id, ann)).toEqual(row);
      expect(await files().find('file_none', ann)).toBeUndefined();
    });

    it('finds the newest files of each chat', async () => {
      const [one, two, none] = [await newChat(), await newChat(), await newChat()];
      const [first, second] = [await add(one), await add(one)];
      const other = await add(two);
      const uids = [one, two, none].map(({ chat_uid }) => chat_uid);
      const found = async (limit: number) =>
        Object.fromEntries(await files().findNewest(uids, limit));
      const [newest, left] = [first, second].toSorted(byAge).toReversed();
      const ofTwo = { [two.chat_uid]: [other.id] };
      expect(await found(1)).toEqual({ ...ofTwo, [one.chat_uid]: [newest!.id] });
      expect(await found(2)).toEqual({ ...ofTwo, [one.chat_uid]: [newest!.id, left!.id] });
      await files().delete(newest!.id, ANY_TENANT);
      expect(await found(2)).toEqual({ ...ofTwo, [one.chat_uid]: [left!.id] });
    });

    it('gives a start those files of its user that are in no chat, if it takes place', async () => {
      const other = await newChat();
      const [own, theirs, elsewhere, gone] = [
        await add(),
        await add({ owner: 'bob' }),
        await add(other),
        await add(),
      ];
      await files().delete(gone.id, ANY_TENANT);
      const rows = [own, theirs, elsewhere, gone];
      const adopts = rows.map(({ id, filename }) => ({ id, filename }));
      const begin = async (chat_id: string) => {
        const start = { ...newStart({ chat_id, viewer: ann }), adopts };
        return (await opened.interactions.startInteraction(start)).outcome;
      };
      const chat = await newChat();
      const first = { ...newStart({ chat_id: chat.chat_id, viewer: ann }) };
      await opened.interactions.startInteraction(first);
      expect(await begin(chat.chat_id)).toBe('busy');
      expect(await files().find(own.id, ann)).toEqual(own);
      const chat_id = `new-${randomUUID()}`;
      expect(await begin(chat_id)).toBe('started');
      const isAsStarted = async () => {
        expect(await files().find(own.id, ann)).toMatchObject({
          ...own,
          chat_id,
          chat_uid: expect.any(String),
        });
        expect(await files().find(theirs.id, bob)).toEqual(theirs);
        expect(await files().find(elsewhere.id, ann)).toEqual(elsewhere);
        expect(await files().find(gone.id, ann)).toBeUndefined();
      };
      await isAsStarted();
      expect(await begin(`other-${randomUUID()}`)).toBe('started');
      await isAsStarted();
      await opened.reopen?.();
      await isAsStarted();
    });

    it('adds nothing to a chat that is not there', async () => {
      const lost = file({ chat_id: 'gone', chat_uid: uidOf(`gone-${randomUUID()}`) });
      expect(await files().add(lost)).toBe('chat_deleted');
      expect(await files().findKnown([lost.id])).toEqual([]);
    });

    it('shows a file without a chat to its owner and admins', async () => {
      const { id } = await add();
      const seen = await Promise.all(
        [ann, bob, admin, stranger, ANY_TENANT].map((each) => files().find(id, each as Viewer)),
      );
      expect(seen.map(Boolean)).toEqual([true, false, true, false, true]);
    });

    it('shows a file of a chat to those who see the chat', async () => {
      const hidden = await add(await newChat());
      const shared = await add({ ...(await newChat('tenant')), owner: 'bob' });
      const sees = async (viewer: Viewer) => {
        const found = await Promise.all([hidden, shared].map(({ id }) => files().find(id, viewer)));
        return found.map(Boolean);
      };
      expect(await sees(ann)).toEqual([true, true]);
      expect(await sees(bob)).toEqual([false, true]);
      expect(await sees(admin)).toEqual([true, true]);
      expect(await sees(stranger)).toEqual([false, false]);
      const theirs = await add({ ...(await newChat()), owner: 'bob' });
      expect(await files().find(theirs.id, bob)).toBeUndefined();
    });

    it('lists what the viewer sees, newest first, in pages', async () => {
      const chat = await newChat();
      const rows = [await add(chat), await add(), await add(chat), await add({ owner: 'bob' })];
      const newest = rows.toReversed();
      const own = newest.filter(({ owner }) => owner === 'ann');
      expect(await files().list({ viewer: ann, limit: 9 })).toEqual(own);
      expect(await files().list({ viewer: admin, limit: 9 })).toEqual(newest);
      expect(await files().list({ viewer: bob, limit: 9 })).toEqual([rows[3]]);
      expect(await files().list({ viewer: stranger, limit: 9 })).toEqual([]);
      const { chat_uid } = chat;
      expect(await files().list({ viewer: ann, limit: 9, chat_uid })).toEqual([rows[2], rows[0]]);
      expect(await files().list({ viewer: bob, limit: 9, chat_uid })).toEqual([]);
      const first = await files().list({ viewer: ann, limit: 2 });
      expect(first).toEqual(own.slice(0, 2));
      const rest = await files().list({ viewer: ann, limit: 2, before: first[1]! });
      expect(rest).toEqual(own.slice(2));
    });

    it('orders files of the same time by id', async () => {
      const created_at = LONG_AGO;
      const ids = ['file_a', 'file_c', 'file_b'].map((id) => `${id}${randomUUID()}`);
      for (const id of ids) await add({ id, created_at });
      const listed = await files().list({ viewer: ann, limit: 2 });
      expect(listed.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
      const rest = await files().list({ viewer: ann, limit: 2, before: listed[1]! });
      expect(rest.map(({ id }) => id)).toEqual([ids[0]]);
    });

    it('deletes once, for a viewer who saw it, and remembers it until it is removed', async () => {
      const row = await add();
      expect(await files().delete(row.id, bob)).toBeUndefined();
      const tries = await Promise.all([1, 2, 3].map(() => files().delete(row.id, ann)));
      expect(tries.filter(Boolean)).toEqual([row]);
      expect(await files().find(row.id, ANY_TENANT)).toBeUndefined();
      expect(await files().list({ viewer: admin, limit: 9 })).toEqual([]);
      expect(await deleted()).toContain(row.id);
      expect(await files().findKnown([row.id, 'file_none'])).toEqual([row.id]);
      await files().remove(row.id);
      expect(await deleted()).not.toContain(row.id);
      expect(await files().findKnown([row.id])).toEqual([]);
    });

    it('lists what was deleted in pages', async () => {
      const rows = [await add(), await add(), await add()];
      for (const { id } of rows) await files().delete(id, ann);
      const all: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await files().listDeleted({ limit: 2, ...(after && { after }) });
        all.push(...page.map(({ id }) => id));
        if (page.length < 2) break;
        after = page[1]!.id;
      }
      expect(all).toEqual(all.toSorted());
      expect(all).toEqual(expect.arrayContaining(rows.map(({ id }) => id)));
      const found = await files().listDeleted({ limit: 1000 });
      const tenants = found.filter(({ id }) => id === rows[0]!.id).map((each) => each.tenant_id);
      expect(tenants).toEqual([ann.tenant_id]);
    });

    it('deletes files with their chat', async () => {
      const chat = await newChat();
      const [ofChat, other] = [await add(chat), await add(await newChat())];
      expect(await opened.chats.deleteChat(chat.chat_uid)).toBe('deleted');
      expect(await files().find(ofChat.id, ANY_TENANT)).toBeUndefined();
      expect(await files().list({ viewer: ann, limit: 9 })).toEqual([other]);
      expect(await deleted()).toContain(ofChat.id);
      expect(await deleted()).not.toContain(other.id);
      expect(await files().add(file(chat))).toBe('chat_deleted');
    });

    it('deletes old files without a chat', async () => {
      const before = '2026-01-01T12:00:00.000Z';
      const old = await add({ created_at: LONG_AGO });
      const kept = [await add({ ...(await newChat()), created_at: LONG_AGO }), await add()];
      expect(await files().deleteUnattached(before)).toBeGreaterThanOrEqual(1);
      expect(await files().deleteUnattached(before)).toBe(0);
      expect(await files().find(old.id, ann)).toBeUndefined();
      for (const { id } of kept) expect(await files().find(id, ann)).toBeDefined();
    });

    it('keeps the id of the folder that has the bytes: the first', async () => {
      expect(await files().findFolder()).toBeUndefined();
      const ids = ['folder_one', 'folder_two'];
      const kept = await Promise.all(ids.map((id) => files().claimFolder(id)));
      expect(ids).toContain(kept[0]);
      expect(kept[1]).toBe(kept[0]);
      await opened.reopen?.();
      expect(await files().findFolder()).toBe(kept[0]);
      expect(await files().claimFolder('folder_three')).toBe(kept[0]);
    });

    it('counts for the quota of the tenant until its bytes are removed', async () => {
      const chat = await newChat();
      const { total: ofChat } = await opened.usage.countBytes(ann.tenant_id);
      const used = async () => (await opened.usage.countBytes(ann.tenant_id)).total - ofChat;
      const row = await add({ size_bytes: 1000 });
      await add({ ...chat, size_bytes: 20 });
      expect(await used()).toBe(1020);
      expect(await opened.usage.countBytes(stranger.tenant_id)).toEqual({ total: 0, files: 0 });
      await files().delete(row.id, ann);
      expect(await used()).toBe(1020);
      await files().remove(row.id);
      expect(await used()).toBe(20);
    });

    it('adds what fits, of files that come together', async () => {
      const [one, other] = [await newChat(), await newChat()];
      await add({ size_bytes: 100 });
      const sizes = Array.from({ length: 20 }, (_, i) =>
        file({ ...(i % 2 ? one : other), size_bytes: 50 }),
      );
      const added = await Promise.all(sizes.map((row) => files().add(row, 300)));
      expect(added.filter((outcome) => outcome === 'added')).toHaveLength(4);
      expect(added.filter((outcome) => outcome === 'no_room')).toHaveLength(16);
      expect((await opened.usage.countBytes(ann.tenant_id)).files).toBe(300);
      const theirs = file({ tenant_id: stranger.tenant_id, size_bytes: 300 });
      expect(await files().add(theirs, 300)).toBe('added');
      expect(await files().add(file({ size_bytes: 1 }))).toBe('added');
    });

    it('keeps everything across a restart', async () => {
      if (!opened.reopen) return;
      const chat = await newChat();
      const [kept, gone, ofChat] = [await add(), await add(), await add(chat)];
      await files().delete(gone.id, ann);
      await opened.chats.deleteChat(chat.chat_uid);
      await opened.reopen();
      expect(await files().find(kept.id, ann)).toEqual(kept);
      expect(await files().find(gone.id, ann)).toBeUndefined();
      expect(await deleted()).toEqual(expect.arrayContaining([gone.id, ofChat.id]));
      expect(await deleted()).not.toContain(kept.id);
    });
  });
}

function byAge(a: FileRow, b: FileRow): number {
  return `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1;
}
