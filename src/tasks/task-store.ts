import type { Task } from '../protocol/task.js';

/**
 * Port: the task boards of chats. A board is deleted with its chat. Rejections mean that the store
 * is unavailable or broken.
 */
export abstract class TaskStore {
  /** A chat's board, oldest first, by creation then id. */
  abstract list(chatId: string): Promise<Task[]>;
  abstract find(id: string): Promise<Task | undefined>;
  /** False, without a change, if the chat was deleted or has `limit` tasks already. */
  abstract add(task: Task, limit: number): Promise<boolean>;
  /** Compare-and-set: replaces version `seen` by `task`. False if it is at another version. */
  abstract replace(task: Task, seen: number): Promise<boolean>;
  /** Deletes version `seen`. False if the task is at another version. */
  abstract remove(id: string, seen: number): Promise<boolean>;
}
