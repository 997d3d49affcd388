import type { AnyViewer } from '../../../persistence/viewer.js';
import { TaskStore } from '../../../tasks/task-store.js';
import type { SeenTask, TaskPlace } from '../../../tasks/task-store.js';
import type { Database, Statement } from '../connection/database.js';
import { TaskEntity } from '../entities/task.entity.js';
import { inSeenChat, viewerValues } from '../viewer-sql.js';
import type { Task } from '../../../protocol/wire/task.js';

/** Additions to one board are serialized, so that the limit holds. */
const LOCK_BOARD: Statement = {
  name: 'tasks.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('tasks/' || $1::text, 0))`,
};

/** The lock on the chat's row prevents its deletion meanwhile. */
const ADD: Statement = {
  name: 'tasks.add',
  text: `WITH chat AS (SELECT chats.uid FROM chats WHERE chats.uid = $3 FOR KEY SHARE)
    INSERT INTO tasks (id, chat_id, chat_uid, title, description, status, version, agent_id, created_at, updated_at)
    SELECT $1, $2, chat.uid, $4, $5, $6, $7, $8, $9, $10 FROM chat
    WHERE (SELECT count(*) FROM tasks WHERE chat_uid = $3) < $11
    RETURNING id`,
};

const FIND: Statement = {
  name: 'tasks.find',
  text: `SELECT id, chat_id, title, description, status, version, agent_id, created_at, updated_at
    FROM tasks t WHERE t.id = $1 AND ${inSeenChat('t', 2)}`,
};

const FIND_CHAT: Statement = {
  name: 'tasks.find_chat',
  text: `SELECT chat_uid FROM tasks t WHERE t.id = $1 AND ${inSeenChat('t', 2)}`,
};

const REPLACE: Statement = {
  name: 'tasks.replace',
  text: `UPDATE tasks t SET title = $3, description = $4, status = $5, version = $6, agent_id = $7, updated_at = $8
    WHERE t.id = $1 AND t.version = $2 AND ${inSeenChat('t', 9)} RETURNING t.id`,
};

const REMOVE: Statement = {
  name: 'tasks.remove',
  text: `DELETE FROM tasks t WHERE t.id = $1 AND t.version = $2 AND ${inSeenChat('t', 3)} RETURNING t.id`,
};

const LIST_BRIEF: Statement = {
  name: 'tasks.list_brief',
  text: `SELECT chat_uid, id, chat_id, title, NULL AS description, status, version, agent_id, created_at, updated_at
    FROM tasks WHERE chat_uid = ANY ($1::uuid[]) ORDER BY created_at, id`,
};

interface Columns extends Omit<Task, 'created_at' | 'updated_at'> {
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Task boards in Postgres, on a server or embedded. */
export class TypeOrmTaskStore extends TaskStore {
  constructor(private readonly db: Database) {
    super();
  }

  list(chatUid: string): Promise<Task[]> {
    const order = { created_at: 'ASC', id: 'ASC' } as const;
    return this.db.entities((manager) =>
      manager.getRepository(TaskEntity).find({ where: { chat_uid: chatUid }, order }),
    );
  }

  async listBrief(chatUids: readonly string[]): Promise<Map<string, Task[]>> {
    const boards = new Map<string, Task[]>();
    const rows = await this.db.query<Columns & { chat_uid: string }>(LIST_BRIEF, [chatUids]);
    for (const { chat_uid, ...task } of rows)
      if (!boards.get(chat_uid)?.push(toTask(task))) boards.set(chat_uid, [toTask(task)]);
    return boards;
  }

  async find(id: string, viewer: AnyViewer): Promise<Task | undefined> {
    const [found] = await this.db.query<Columns>(FIND, [id, ...viewerValues(viewer)]);
    return found && toTask(found);
  }

  async findChatUid(id: string, viewer: AnyViewer): Promise<string | undefined> {
    const values = [id, ...viewerValues(viewer)];
    const [found] = await this.db.query<{ chat_uid: string }>(FIND_CHAT, values);
    return found?.chat_uid;
  }

  async add(task: Task, { chat_uid, limit }: TaskPlace): Promise<boolean> {
    const { id, chat_id, title, description, status } = task;
    const { version, agent_id, created_at, updated_at } = task;
    const content = [id, chat_id, chat_uid, title, description, status];
    const [, added] = await this.db.batch([
      [LOCK_BOARD, [chat_uid]],
      [ADD, [...content, version, agent_id, created_at, updated_at, limit]],
    ]);
    return (added?.length ?? 0) > 0;
  }

  async replace(task: Task, { seen, viewer }: SeenTask): Promise<boolean> {
    const { id, title, description, status, version, agent_id, updated_at } = task;
    const content = [title, description, status, version, agent_id, updated_at];
    const values = [id, seen, ...content, ...viewerValues(viewer)];
    return (await this.db.query(REPLACE, values)).length > 0;
  }

  async remove(id: string, { seen, viewer }: SeenTask): Promise<boolean> {
    return (await this.db.query(REMOVE, [id, seen, ...viewerValues(viewer)])).length > 0;
  }
}

function toTask({ created_at, updated_at, ...rest }: Columns): Task {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
