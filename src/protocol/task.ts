export const TASK_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** One entry of a chat's task board, which people and agents edit alike. */
export interface Task {
  readonly id: string;
  readonly chat_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly status: TaskStatus;
  /** Counts the changes, from 1: whoever sends the version that they saw overwrites nobody. */
  readonly version: number;
  /** The agent that changed it last; null: a person. */
  readonly agent_id: string | null;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  readonly updated_at: string;
}
