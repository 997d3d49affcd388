import { Injectable } from '@nestjs/common';
import { chatNotFound } from '../access/not-found.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import { ChatStore } from '../persistence/chat.store.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { AnyViewer } from '../persistence/viewer.js';
import { MAX_TASKS } from './task-limits.js';
import { TaskStore } from './task-store.js';
import type { Task, TaskStatus } from '../protocol/wire/task.js';

/** The author of a change: an agent, or (null) a person. */
export interface Actor {
  readonly agent_id: string | null;
  /** Chat of the agent; not set for a person. */
  readonly chat_uid?: string;
  /** Tasks of chats that it does not see are not there. */
  readonly viewer: AnyViewer;
}

/** The chat of a board. */
export type BoardOf = Pick<ChatRow, 'uid' | 'id'>;

export interface NewTask {
  readonly title: string;
  readonly description?: string | null;
  readonly status?: TaskStatus;
}

/** Fields that are left out stay the same. */
export interface TaskChange {
  readonly title?: string;
  readonly description?: string | null;
  readonly status?: TaskStatus;
}

/** Attempts of a change that names no version, against concurrent changes. */
const ATTEMPTS = 10;

/** The task boards, which people and agents share. */
@Injectable()
export class TasksService {
  constructor(
    private readonly tasks: TaskStore,
    private readonly chats: ChatStore,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Oldest first. */
  list(chatUid: string): Promise<Task[]> {
    return this.tasks.list(chatUid);
  }

  /** @throws AppError `chat_not_found` (404), `too_many_tasks` (409) */
  async add(chat: BoardOf, task: NewTask, { agent_id }: Actor): Promise<Task> {
    const { uid: chat_uid, id: chat_id } = chat;
    const { title, description = null, status = 'pending' } = task;
    const created_at = this.clock.now().toISOString();
    const added: Task = {
      id: this.ids.make('task'),
      chat_id,
      title,
      description,
      status,
      version: 1,
      agent_id,
      created_at,
      updated_at: created_at,
    };
    if (await this.tasks.add(added, { chat_uid, limit: MAX_TASKS })) {
      this.bus.noteChange({ chat_uid });
      return added;
    }
    if (!(await this.chats.findChatByUid(chat_uid))) throw chatNotFound(chat_id);
    throw new AppError(
      'conflict',
      'too_many_tasks',
      `The board of the chat ${chat_id} has ${MAX_TASKS} tasks already. Delete some first.`,
    );
  }

  /**
   * @param change with `version`: only if the task is at that version
   * @throws AppError `task_not_found` (404), `task_changed` (409) with the `task` as it is now
   */
  async change(
    id: string,
    { version, ...change }: TaskChange & { readonly version?: number },
    actor: Actor,
  ): Promise<Task> {
    const { agent_id, viewer } = actor;
    for (let attempt = 1; ; attempt++) {
      const task = await this.require(id, version, viewer);
      const updated_at = this.clock.now().toISOString();
      const changed = changeTask(task, change, { agent_id, updated_at });
      if (!changed) return task;
      if (await this.tasks.replace(changed, { seen: task.version, viewer }))
        return this.noted(changed, actor);
      if (attempt === ATTEMPTS) throw changedMeanwhile(task);
    }
  }

  /**
   * @param version only if the task is at that version
   * @throws AppError `task_not_found` (404), `task_changed` (409)
   */
  async remove(id: string, version: number | undefined, actor: Actor): Promise<Task> {
    const { viewer } = actor;
    for (let attempt = 1; ; attempt++) {
      const task = await this.require(id, version, viewer);
      if (await this.tasks.remove(id, { seen: task.version, viewer }))
        return this.noted(task, actor);
      if (attempt === ATTEMPTS) throw changedMeanwhile(task);
    }
  }

  private async noted(task: Task, { viewer, ...actor }: Actor): Promise<Task> {
    const isPerson = typeof viewer !== 'symbol';
    const chat = isPerson ? await this.chats.findChat(task.chat_id, viewer) : undefined;
    const chat_uid = actor.chat_uid ?? chat?.uid;
    if (chat_uid !== undefined) this.bus.noteChange({ chat_uid });
    return task;
  }

  private async require(id: string, version: number | undefined, viewer: AnyViewer): Promise<Task> {
    const task = await this.tasks.find(id, viewer);
    if (!task) {
      const message = `There is no task ${id}. GET /tasks?chat_id=… lists those of a chat.`;
      throw new AppError('not_found', 'task_not_found', message);
    }
    if (version === undefined || version === task.version) return task;
    throw changedMeanwhile(task);
  }
}

/** Undefined if nothing changes. */
function changeTask(
  task: Task,
  change: TaskChange,
  by: Pick<Task, 'agent_id' | 'updated_at'>,
): Task | undefined {
  const { title = task.title, description = task.description, status = task.status } = change;
  const isSame = title === task.title && description === task.description && status === task.status;
  if (isSame) return undefined;
  return { ...task, title, description, status, version: task.version + 1, ...by };
}

function changedMeanwhile(task: Task): AppError {
  return new AppError(
    'conflict',
    'task_changed',
    `The task ${task.id} was changed meanwhile: it is at version ${task.version}. Review it and send that version.`,
    { extra: { task } },
  );
}
