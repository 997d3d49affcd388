import { LOCAL, uidOf } from '../support/store/chat-parts.js';
import { randomUUID } from 'node:crypto';
import type { ChatStore } from '../../src/persistence/chat.store.js';
import type { TaskStore } from '../../src/tasks/task-store.js';
import { newChat } from './interaction-store/fixtures.js';
import type { Task } from '../../src/protocol/wire/task.js';

export interface OpenedTaskStore {
  readonly tasks: TaskStore;
  /** Where the chats are. */
  readonly chats: ChatStore;
  /** Closes both and opens them again over the same saved data, as a restarted process would. */
  reopen(): Promise<void>;
  /** Closes the newest ones and removes their data. */
  close(): Promise<void>;
}

const LIMIT = 1000;
let made = 0;

/** Younger than those before it. */
function task(chat_id: string, more: Partial<Task> = {}): Task {
  made++;
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, 0, made)).toISOString();
  return {
    id: `task_${randomUUID()}`,
    chat_id,
    title: 'Write the test',
    description: null,
    status: 'pending',
    version: 1,
    agent_id: null,
    created_at: at,
    updated_at: at,
    ...more,
  };
}

/** What every `TaskStore` must do. The store is opened once; every test has a chat of its own. */
export function taskStoreContract(name: string, open: () => Promise<OpenedTaskStore>): void {
  describe(`${name} as a TaskStore`, () => {
    let opened: OpenedTaskStore;
    let chat_id: string;
    const store = (): TaskStore => opened.tasks;
    const board = (limit = LIMIT) => ({ chat_uid: uidOf(chat_id), limit });
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      const chat = newChat();
      chat_id = chat.id;
      await opened.chats.createChat(chat);
    });

    it('lists several boards without descriptions', async () => {
      const [one, two] = [task(chat_id, { description: 'Long.' }), task(chat_id, { version: 7 })];
      for (const each of [one, two]) await store().add(each, board());
      const other = newChat();
      await opened.chats.createChat(other);
      const boards = await store().listBrief([uidOf(chat_id), other.uid]);
      const brief = [{ ...one, description: null }, two];
      expect(boards).toEqual(new Map([[uidOf(chat_id), brief]]));
    });

    it('gives a task back as it was added', async () => {
      const full = task(chat_id, {
        title: 'Ünïcode \u2028 \ud83d\ude00',
        description: 'Two\nlines',
        status: 'in_progress',
        agent_id: 'agent_1',
      });
      expect(await store().add(full, board())).toBe(true);
      expect(await store().find(full.id, LOCAL)).toEqual(full);
      expect(await store().find('task_none', LOCAL)).toBeUndefined();
    });

    it("lists a chat's tasks, oldest first, and no other's", async () => {
      const [a, b] = [task(chat_id), task(chat_id)];
      for (const added of [b, a]) await store().add(added, board());
      expect(await store().list(uidOf(chat_id))).toEqual([a, b]);
      expect(await store().list(uidOf('chat_none'))).toEqual([]);
    });

    it('adds nothing to a chat that is not there', async () => {
      const lost = task('chat_none');
      const place = { chat_uid: uidOf('chat_none'), limit: LIMIT };
      expect(await store().add(lost, place)).toBe(false);
      expect(await store().find(lost.id, LOCAL)).toBeUndefined();
    });

    it('holds as many tasks as the limit says, whoever adds them at once', async () => {
      const adding = Array.from({ length: 8 }, () => store().add(task(chat_id), board(3)));
      expect((await Promise.all(adding)).filter(Boolean)).toHaveLength(3);
      expect(await store().list(uidOf(chat_id))).toHaveLength(3);
    });

    it('replaces a version once, whoever tries at once', async () => {
      const first = task(chat_id);
      await store().add(first, board());
      const tries = Array.from({ length: 6 }, (_, i) => ({
        ...first,
        version: 2,
        title: `Try ${i}`,
      }));
      const replaced = await Promise.all(
        tries.map((next) => store().replace(next, { seen: 1, viewer: LOCAL })),
      );
      expect(replaced.filter(Boolean)).toHaveLength(1);
      expect(await store().find(first.id, LOCAL)).toEqual(tries[replaced.indexOf(true)]);
      expect(await store().replace({ ...first, id: 'task_none' }, { seen: 1, viewer: LOCAL })).toBe(
        false,
      );
    });

    it('replaces everything that can change, and nothing else', async () => {
      const first = task(chat_id);
      await store().add(first, board());
      const next: Task = {
        ...first,
        title: 'Run it',
        description: 'Until it is green.',
        status: 'completed',
        version: 2,
        agent_id: 'agent_2',
        updated_at: '2026-02-01T00:00:00.000Z',
      };
      const other = task(chat_id);
      await store().add(other, board());
      expect(await store().replace(next, { seen: 1, viewer: LOCAL })).toBe(true);
      expect(await store().list(uidOf(chat_id))).toEqual([next, other]);
    });

    it('removes the version that was seen, once', async () => {
      const gone = task(chat_id);
      await store().add(gone, board());
      expect(await store().remove(gone.id, { seen: 2, viewer: LOCAL })).toBe(false);
      expect(await store().remove(gone.id, { seen: 1, viewer: LOCAL })).toBe(true);
      expect(await store().remove(gone.id, { seen: 1, viewer: LOCAL })).toBe(false);
      expect(await store().list(uidOf(chat_id))).toEqual([]);
    });

    it('has no task for another tenant, nor of a private chat of another user', async () => {
      const own = task(chat_id);
      await store().add(own, board());
      const next = { ...own, version: 2, title: 'Mine' };
      for (const viewer of [
        { ...LOCAL, tenant_id: 'another' },
        { ...LOCAL, user_id: 'another', is_admin: false },
      ]) {
        expect(await store().find(own.id, viewer)).toBeUndefined();
        expect(await store().replace(next, { seen: 1, viewer })).toBe(false);
        expect(await store().remove(own.id, { seen: 1, viewer })).toBe(false);
      }
      expect(await store().list(uidOf(chat_id))).toEqual([own]);
      const viewer = { ...LOCAL, is_admin: false };
      expect(await store().replace(next, { seen: 1, viewer })).toBe(true);
    });

    it('lets the tasks go with their chat', async () => {
      const gone = task(chat_id);
      await store().add(gone, board());
      expect(await opened.chats.deleteChat(uidOf(chat_id))).toBe('deleted');
      expect(await store().find(gone.id, LOCAL)).toBeUndefined();
      expect(await store().list(uidOf(chat_id))).toEqual([]);
      expect(await store().replace({ ...gone, version: 2 }, { seen: 1, viewer: LOCAL })).toBe(
        false,
      );
      expect(await store().add(task(chat_id), board())).toBe(false);
    });

    it('keeps everything across a restart', async () => {
      const kept = task(chat_id);
      await store().add(kept, board());
      await opened.reopen();
      expect(await store().find(kept.id, LOCAL)).toEqual(kept);
      expect(await store().replace({ ...kept, version: 2 }, { seen: 1, viewer: LOCAL })).toBe(true);
    });
  });
}
