import type { Task } from 'parley/client';

export type TaskStatus = Task['status'];
export const STATUSES = ['pending', 'in_progress', 'completed'] as const;

/** Tasks by status, the oldest first. */
export function columnsOf(tasks: readonly Task[]): Readonly<Record<TaskStatus, readonly Task[]>> {
  const ordered = [...tasks].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  const of = (status: TaskStatus): readonly Task[] =>
    ordered.filter((task) => task.status === status);
  return { pending: of('pending'), in_progress: of('in_progress'), completed: of('completed') };
}

/** A change that the server has not told yet, by the id of its task. */
export interface Pending {
  readonly status: TaskStatus;
  /** The version that has it; null: it is being sent. */
  readonly version: number | null;
}

/** The board as a person has left it: what is being sent is shown at once. */
export function withPending(
  tasks: readonly Task[],
  pending: Readonly<Record<string, Pending>>,
): readonly Task[] {
  return tasks.map((task) => {
    const change = pending[task.id];
    const isNews = change && (change.version === null || change.version > task.version);
    return isNews ? { ...task, status: change.status } : task;
  });
}

/** Fields in which two versions of a task differ. */
export function differences(
  a: Partial<Task>,
  b: Partial<Task>,
): readonly ('title' | 'description' | 'status')[] {
  return (['title', 'description', 'status'] as const).filter(
    (name) => a[name] !== undefined && (a[name] ?? '') !== (b[name] ?? ''),
  );
}
