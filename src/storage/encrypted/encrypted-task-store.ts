import type { DataKey } from '../../encryption/data-key.js';
import type { DataKeys } from '../../encryption/data-keys.js';
import { UNREADABLE } from '../../encryption/unreadable.js';
import { ANY_TENANT } from '../../persistence/any-tenant.js';
import type { AnyViewer } from '../../persistence/viewer.js';
import { TaskStore } from '../../tasks/task-store.js';
import type { SeenTask, TaskPlace } from '../../tasks/task-store.js';
import { openEach } from './open-each.js';
import type { OpenEach } from './open-each.js';
import { keyIdOf, openText } from './sealed/sealed-fields.js';
import type { Task } from '../../protocol/wire/task.js';

/** Task boards in another store, encrypted. */
export class EncryptedTaskStore extends TaskStore {
  private readonly opening: Omit<OpenEach<Task>, 'withoutTexts'> = {
    open: (some) => this.open(some),
    isThere: async ({ id }) => (await this.inner.find(id, ANY_TENANT)) !== undefined,
  };

  constructor(
    private readonly inner: TaskStore,
    private readonly keys: DataKeys,
  ) {
    super();
  }

  async list(chatUid: string): Promise<Task[]> {
    return this.openList(await this.inner.list(chatUid));
  }

  async listBrief(chatUids: readonly string[]): Promise<Map<string, Task[]>> {
    const boards = await this.inner.listBrief(chatUids);
    const opened = await this.openList([...boards.values()].flat());
    const byId = new Map(opened.map((task) => [task.id, task]));
    return new Map(
      [...boards].map(([uid, board]) => [uid, board.flatMap(({ id }) => byId.get(id) ?? [])]),
    );
  }

  async find(id: string, viewer: AnyViewer): Promise<Task | undefined> {
    const task = await this.inner.find(id, viewer);
    return task && this.openFound(task);
  }

  findChatUid(id: string, viewer: AnyViewer): Promise<string | undefined> {
    return this.inner.findChatUid(id, viewer);
  }

  async add(task: Task, place: TaskPlace): Promise<boolean> {
    const key = await this.keys.ofChat(place.chat_uid);
    return key ? this.inner.add(sealTask(key, task), place) : false;
  }

  async replace(task: Task, seen: SeenTask): Promise<boolean> {
    const uid = await this.inner.findChatUid(task.id, seen.viewer);
    const key = uid === undefined ? undefined : await this.keys.ofChat(uid);
    if (!key) return false;
    const kept = await this.unreadTexts(task, seen.viewer);
    return this.inner.replace({ ...sealTask(key, task), ...kept }, seen);
  }

  remove(id: string, seen: SeenTask): Promise<boolean> {
    return this.inner.remove(id, seen);
  }

  /** The saved ciphertext of texts that can't be opened and are not changed. */
  private async unreadTexts(task: Task, viewer: AnyViewer): Promise<Partial<Task>> {
    const { title, description } = task;
    if (title !== UNREADABLE && description !== UNREADABLE) return {};
    const saved = await this.inner.find(task.id, viewer);
    const shown = saved && (await this.openFound(saved));
    return {
      ...(title === UNREADABLE && shown?.title === title && { title: saved!.title }),
      ...(description === UNREADABLE &&
        shown?.description === description && { description: saved!.description }),
    };
  }

  /** Field for field: if one can't be opened, the other is still shown. */
  private async openFound(task: Task): Promise<Task | undefined> {
    const how = { ...this.opening, withoutTexts };
    const [titled] = await openEach([{ ...task, description: null }], how);
    if (!titled || task.description === null) return titled;
    const [described] = await openEach([{ ...task, title: '' }], {
      ...this.opening,
      withoutTexts: (of) => ({ ...of, description: UNREADABLE }),
    });
    return described && { ...titled, description: described.description };
  }

  private openList(tasks: readonly Task[]): Promise<Task[]> {
    return openEach(tasks, { ...this.opening, withoutTexts });
  }

  private async open(tasks: readonly Task[]): Promise<Task[]> {
    const ids = tasks.flatMap(({ title, description }) => [keyIdOf(title), keyIdOf(description)]);
    const keys = await this.keys.load(ids.filter((id) => id !== undefined));
    return tasks.map((task) => {
      const { id, title, description } = task;
      return {
        ...task,
        title: openText(keys, title, [id, 'title']),
        description: openText(keys, description, [id, 'description']),
      };
    });
  }
}

export function sealTask<T extends Pick<Task, 'id' | 'title' | 'description'>>(
  key: DataKey,
  task: T,
): T {
  const { id, title, description } = task;
  return {
    ...task,
    title: key.seal(title, [id, 'title']),
    description: description === null ? null : key.seal(description, [id, 'description']),
  };
}

function withoutTexts(task: Task): Task {
  return { ...task, title: UNREADABLE, description: null };
}
