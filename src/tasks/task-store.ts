import type { AnyViewer } from '../persistence/viewer.js';
import type { Task } from '../protocol/wire/task.js';

/** The board of a new task, which may have so many. */
export interface TaskPlace {
  readonly chat_uid: string;
  readonly limit: number;
}

/** The version that a change is based on; to other viewers, the task is not there. */
export interface SeenTask {
  readonly seen: number;
  readonly viewer: AnyViewer;
}

/**
 * Port: the task boards of chats. A board is deleted with its chat. Rejections mean that the store
 * is unavailable or broken.
 */
export abstract class TaskStore {
  /** A chat's board, oldest first, by creation then id. */
  abstract list(chatUid: string): Promise<Task[]>;
  /** The boards of those of these chats that have tasks, without descriptions: they are null. */
  abstract listBrief(chatUids: readonly string[]): Promise<Map<string, Task[]>>;
  abstract find(id: string, viewer: AnyViewer): Promise<Task | undefined>;
  /** The chat of a task. */
  abstract findChatUid(id: string, viewer: AnyViewer): Promise<string | undefined>;
  /** False, without a change, if the chat was deleted or has `limit` tasks already. */
  abstract add(task: Task, place: TaskPlace): Promise<boolean>;
  /** Compare-and-set: replaces version `seen` by `task`. False if it is at another version. */
  abstract replace(task: Task, seen: SeenTask): Promise<boolean>;
  /** Deletes version `seen`. False if the task is at another version. */
  abstract remove(id: string, seen: SeenTask): Promise<boolean>;
}
