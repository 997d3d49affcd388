import { TaskStore } from '../../tasks/task-store.js';
import type { SeenTask, TaskPlace } from '../../tasks/task-store.js';
import { sees } from '../../persistence/viewer.js';
import type { AnyViewer } from '../../persistence/viewer.js';
import type { ChatDirectory } from './log/chat-directory.js';
import { readJson, replaceJson } from './json-files.js';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import type { ReportProblem } from './report-problem.js';
import { describeError } from './report-problem.js';
import { compareKeys } from '../memory/core/store-index.js';
import type { StoreIndex } from '../memory/core/store-index.js';
import { directoryOf } from './chats/file-journal.js';
import type { Task } from '../../protocol/wire/task.js';

type Board = readonly Task[];

/**
 * The task board of each chat, `tasks.json` in its folder, in a human-readable form. For a single
 * process.
 */
export class FileTaskStore extends TaskStore {
  private readonly mutex = new KeyedMutex();
  /** The uid of the chat of each task. */
  private readonly chatOf = new Map<string, string>();

  private constructor(private readonly chats: StoreIndex) {
    super();
  }

  /**
   * Loads the existing boards. A board that can't be read is reported. It stays unchanged and
   * read-only until its file is repaired.
   */
  static async open(chats: StoreIndex, report: ReportProblem): Promise<FileTaskStore> {
    const store = new FileTaskStore(chats);
    for (const chat of chats.chats) {
      const folder = directoryOf(chat);
      try {
        store.index(chat.uid, await readBoard(folder));
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

  async list(chatUid: string): Promise<Task[]> {
    const folder = this.folderOf(chatUid);
    return folder ? [...(await readBoard(folder))] : [];
  }

  async listBrief(chatUids: readonly string[]): Promise<Map<string, Task[]>> {
    const boards = new Map<string, Task[]>();
    for (const uid of chatUids) {
      const board = await this.list(uid);
      if (board.length > 0) boards.set(uid, board.map(toBrief));
    }
    return boards;
  }

  async find(id: string, viewer: AnyViewer): Promise<Task | undefined> {
    const chatUid = this.findChatOf(id, viewer);
    const board = chatUid === undefined ? [] : await this.list(chatUid);
    return board.find((task) => task.id === id);
  }

  async findChatUid(id: string, viewer: AnyViewer): Promise<string | undefined> {
    return this.findChatOf(id, viewer);
  }

  add(task: Task, { chat_uid, limit }: TaskPlace): Promise<boolean> {
    return this.change(chat_uid, (board) =>
      board.length < limit ? [...board, task].sort(compareKeys) : undefined,
    );
  }

  replace(task: Task, { seen, viewer }: SeenTask): Promise<boolean> {
    return this.changeOne(task.id, { seen, viewer, to: [task] });
  }

  async remove(id: string, { seen, viewer }: SeenTask): Promise<boolean> {
    const isRemoved = await this.changeOne(id, { seen, viewer, to: [] });
    if (isRemoved) this.chatOf.delete(id);
    return isRemoved;
  }

  private async changeOne(
    id: string,
    { seen, viewer, to }: SeenTask & { readonly to: readonly Task[] },
  ): Promise<boolean> {
    const chatUid = this.findChatOf(id, viewer);
    if (chatUid === undefined) return false;
    return this.change(chatUid, (board) => {
      const at = board.findIndex((task) => task.id === id && task.version === seen);
      return at < 0 ? undefined : board.toSpliced(at, 1, ...to);
    });
  }

  /** Undefined if the viewer does not see the chat of the task. */
  private findChatOf(id: string, viewer: AnyViewer): string | undefined {
    const chat = this.chats.findChat(this.chatOf.get(id) ?? '');
    return chat && sees(viewer, chat.row) ? chat.uid : undefined;
  }

  private folderOf(chatUid: string): ChatDirectory | undefined {
    const chat = this.chats.findChat(chatUid);
    return chat && directoryOf(chat);
  }

  /** Changes memory only after the change is on the disk. Returns true if there was a change. */
  private change(chatUid: string, work: (board: Board) => Board | undefined): Promise<boolean> {
    return this.mutex.run(chatUid, async () => {
      const folder = this.folderOf(chatUid);
      const board = folder && work(await readBoard(folder));
      if (!board || !(await this.write(chatUid, folder, board))) return false;
      this.index(chatUid, board);
      return true;
    });
  }

  /** Returns false if the chat was deleted meanwhile. */
  private async write(chatUid: string, folder: ChatDirectory, board: Board): Promise<boolean> {
    try {
      await replaceJson(folder.tasksFile, { tasks: board });
      return true;
    } catch (error) {
      if (this.chats.findChat(chatUid)) throw error;
      return false;
    }
  }

  private index(chatUid: string, board: Board): void {
    for (const { id } of board) this.chatOf.set(id, chatUid);
  }
}

function toBrief(task: Task): Task {
  return { ...task, description: null };
}

async function readBoard({ tasksFile }: ChatDirectory): Promise<Board> {
  return (await readJson<{ tasks: Board }>(tasksFile, { tasks: [] })).tasks;
}
