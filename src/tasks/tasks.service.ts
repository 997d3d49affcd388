import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import { ChatStore } from '../persistence/chat.store.js';
import type { Task, TaskStatus } from '../protocol/task.js';
import { MAX_TASKS } from './task-limits.js';
import { TaskStore } from './task-store.js';

/** The author of a change: an agent, or (null) a person. */
export interface Actor {
  readonly agent_id: string | null;
}

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
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Oldest first.
   * @throws AppError `chat_not_found` (404)
   */
  async list(chatId: string): Promise<Task[]> {
    await this.requireChat(chatId);
    return this.tasks.list(chatId);
  }

  /** @throws AppError `chat_not_found` (404), `too_many_tasks` (409) */
  async add(chat_id: string, task: NewTask, by: Actor): Promise<Task> {
    await this.requireChat(chat_id);
    const { title, description = null, status = 'pending' } = task;
    const created_at = this.clock.now().toISOString();
    const added: Task = {
      id: this.ids.make('task'),
      chat_id,
      title,
      description,
      status,
      version: 1,
      ...by,
      created_at,
      updated_at: created_at,
    };
    if (await this.tasks.add(added, MAX_TASKS)) return added;
    await this.requireChat(chat_id);
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
    by: Actor,
  ): Promise<Task> {
    for (let attempt = 1; ; attempt++) {
      const task = await this.require(id, version);
      const updated_at = this.clock.now().toISOString();
      const changed = changeTask(task, change, { ...by, updated_at });
      if (!changed) return task;
      if (await this.tasks.replace(changed, task.version)) return changed;
      if (attempt === ATTEMPTS) throw changedMeanwhile(task);
    }
  }

  /**
   * @param version only if the task is at that version
   * @throws AppError `task_not_found` (404), `task_changed` (409)
   */
  async remove(id: string, version?: number): Promise<Task> {
    for (let attempt = 1; ; attempt++) {
      const task = await this.require(id, version);
      if (await this.tasks.remove(id, task.version)) return task;
      if (attempt === ATTEMPTS) throw changedMeanwhile(task);
    }
  }

  private async require(id: string, version: number | undefined): Promise<Task> {
    const task = await this.tasks.find(id);
    if (!task) {
      const message = `There is no task ${id}. GET /tasks?chat_id=… lists those of a chat.`;
      throw new AppError('not_found', 'task_not_found', message);
    }
    if (version === undefined || version === task.version) return task;
    throw changedMeanwhile(task);
  }

  private async requireChat(id: string): Promise<void> {
    if (await this.chats.findChat(id)) return;
    throw new AppError(
      'not_found',
      'chat_not_found',
      `There is no chat ${id}. GET /chats lists those there are; a message to a new id creates one.`,
    );
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
