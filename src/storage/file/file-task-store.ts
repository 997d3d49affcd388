import { readFile } from 'node:fs/promises';
import type { Task } from '../../protocol/task.js';
import { TaskStore } from '../../tasks/task-store.js';
import type { ChatDirectory } from './chat-directory.js';
import { replaceDurably, syncDirectory } from './durable-files.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { ReportProblem } from './report-problem.js';
import { describeError } from './report-problem.js';
import { compareKeys } from '../memory/store-index.js';

/** The folders of the existing chats. */
export interface ChatFolders {
  list(): Iterable<readonly [chatId: string, folder: ChatDirectory]>;
  find(chatId: string): ChatDirectory | undefined;
}

type Board = readonly Task[];

/**
 * The task board of each chat, `tasks.json` in its folder, in a human-readable form. For a single
 * process.
 */
export class FileTaskStore extends TaskStore {
  private readonly mutex = new KeyedMutex();
  /** The chat id of each task. */
  private readonly chatOf = new Map<string, string>();

  private constructor(private readonly folders: ChatFolders) {
    super();
  }

  /**
   * Loads the existing boards. A board that can't be read is reported. It stays unchanged and
   * read-only until its file is repaired.
   */
  static async open(folders: ChatFolders, report: ReportProblem): Promise<FileTaskStore> {
    const store = new FileTaskStore(folders);
    for (const [chatId, folder] of folders.list()) {
      try {
        store.index(chatId, await readBoard(folder));
      } catch (error) {
        report({ path: folder.tasksFile, message: `It can’t be read. ${describeError(error)}` });
      }
    }
    return store;
  }

  /** Resolves once everything is on the disk. */
  close(): Promise<void> {
    return this.mutex.idle();
  }

  async list(chatId: string): Promise<Task[]> {
    const folder = this.folders.find(chatId);
    return folder ? [...(await readBoard(folder))] : [];
  }

  async find(id: string): Promise<Task | undefined> {
    const chatId = this.chatOf.get(id);
    const board = chatId === undefined ? [] : await this.list(chatId);
    return board.find((task) => task.id === id);
  }

  add(task: Task, limit: number): Promise<boolean> {
    return this.change(task.chat_id, (board) =>
      board.length < limit ? [...board, task].sort(compareKeys) : undefined,
    );
  }

  replace(task: Task, seen: number): Promise<boolean> {
    return this.changeOne(task.id, seen, [task]);
  }

  async remove(id: string, seen: number): Promise<boolean> {
    const isRemoved = await this.changeOne(id, seen, []);
    if (isRemoved) this.chatOf.delete(id);
    return isRemoved;
  }

  private async changeOne(id: string, seen: number, to: readonly Task[]): Promise<boolean> {
    const chatId = this.chatOf.get(id);
    if (chatId === undefined) return false;
    return this.change(chatId, (board) => {
      const at = board.findIndex((task) => task.id === id && task.version === seen);
      return at < 0 ? undefined : board.toSpliced(at, 1, ...to);
    });
  }

  /** Changes memory only after the change is on the disk. Returns true if there was a change. */
  private change(chatId: string, work: (board: Board) => Board | undefined): Promise<boolean> {
    return this.mutex.run(chatId, async () => {
      const folder = this.folders.find(chatId);
      const board = folder && work(await readBoard(folder));
      if (!board || !(await this.write(chatId, folder, board))) return false;
      this.index(chatId, board);
      return true;
    });
  }

  /** Returns false if the chat was deleted meanwhile. */
  private async write(chatId: string, folder: ChatDirectory, board: Board): Promise<boolean> {
    try {
      await replaceDurably(folder.tasksFile, `${JSON.stringify({ tasks: board }, null, 2)}\n`);
      await syncDirectory(folder.path);
      return true;
    } catch (error) {
      if (this.folders.find(chatId)) throw error;
      return false;
    }
  }

  private index(chatId: string, board: Board): void {
    for (const { id } of board) this.chatOf.set(id, chatId);
  }
}

async function readBoard({ tasksFile }: ChatDirectory): Promise<Board> {
  try {
    return (JSON.parse(await readFile(tasksFile, 'utf8')) as { tasks: Board }).tasks;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
