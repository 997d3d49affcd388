import type { Task } from '../protocol/task.js';

/** Port: the task boards of chats. A chat's board goes with the chat. Rejections mean that the store is away or broken. */
export abstract class TaskStore {
  /** A chat's board, oldest first, by creation then id. */
  abstract list(chatId: string): Promise<Task[]>;
  abstract find(id: string): Promise<Task | undefined>;
  /** Answers false, and changes nothing, when the chat is gone or has `limit` tasks already. */
  abstract add(task: Task, limit: number): Promise<boolean>;
  /** Puts `task` in the place of its version `seen`, in one step with the check that it still is that; answers whether it was. */
  abstract replace(task: Task, seen: number): Promise<boolean>;
  /** The same, with nothing in its place. */
  abstract remove(id: string, seen: number): Promise<boolean>;
}
