import type { Task, TaskStatus } from '../protocol/task.js';

/** What shall be different; what is left out stays. */
export interface TaskChange {
  readonly title?: string;
  readonly description?: string | null;
  readonly status?: TaskStatus;
}

/** Undefined when that changes nothing. */
export function changeTask(
  task: Task,
  change: TaskChange,
  by: Pick<Task, 'agent_id' | 'updated_at'>,
): Task | undefined {
  const { title = task.title, description = task.description, status = task.status } = change;
  const isSame = title === task.title && description === task.description && status === task.status;
  if (isSame) return undefined;
  return { ...task, title, description, status, version: task.version + 1, ...by };
}
