import type { Task } from '../../../protocol/task.js';
import { TaskStore } from '../../../tasks/task-store.js';
import type { Database } from '../connection/database.js';
import type { Statement } from '../connection/database.js';

interface Columns extends Omit<Task, 'created_at' | 'updated_at'> {
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS =
  'id, chat_id, title, description, status, version, agent_id, created_at, updated_at';

const LIST: Statement = {
  name: 'tasks.list',
  text: `SELECT ${COLUMNS} FROM tasks WHERE chat_id = $1 ORDER BY created_at, id`,
};

const FIND: Statement = {
  name: 'tasks.find',
  text: `SELECT ${COLUMNS} FROM tasks WHERE id = $1`,
};

/** Additions to one board wait for each other, so that the limit holds. */
const LOCK: Statement = {
  name: 'tasks.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('tasks/' || $1::text, 0))`,
};

/** The chat's row is held against a deletion meanwhile. */
const ADD: Statement = {
  name: 'tasks.add',
  text: `WITH chat AS (SELECT chats.id FROM chats WHERE chats.id = $2 FOR KEY SHARE)
    INSERT INTO tasks (${COLUMNS})
    SELECT $1, chat.id, $3, $4, $5, $6, $7, $8, $9 FROM chat
    WHERE (SELECT count(*) FROM tasks WHERE chat_id = $2) < $10
    RETURNING id`,
};

const REPLACE: Statement = {
  name: 'tasks.replace',
  text: `UPDATE tasks SET title = $3, description = $4, status = $5, version = $6, agent_id = $7, updated_at = $8
    WHERE id = $1 AND version = $2 RETURNING id`,
};

const REMOVE: Statement = {
  name: 'tasks.remove',
  text: 'DELETE FROM tasks WHERE id = $1 AND version = $2 RETURNING id',
};

/** Task boards in Postgres, on a server or embedded. */
export class TypeOrmTaskStore extends TaskStore {
  constructor(private readonly db: Database) {
    super();
  }

  async list(chatId: string): Promise<Task[]> {
    return (await this.db.query<Columns>(LIST, [chatId])).map(toTask);
  }

  async find(id: string): Promise<Task | undefined> {
    const [found] = await this.db.query<Columns>(FIND, [id]);
    return found && toTask(found);
  }

  async add(task: Task, limit: number): Promise<boolean> {
    const { id, chat_id, title, description, status } = task;
    const { version, agent_id, created_at, updated_at } = task;
    const what = [id, chat_id, title, description, status];
    const [, added] = await this.db.batch([
      [LOCK, [chat_id]],
      [ADD, [...what, version, agent_id, created_at, updated_at, limit]],
    ]);
    return (added?.length ?? 0) > 0;
  }

  async replace(task: Task, seen: number): Promise<boolean> {
    const { id, title, description, status, version, agent_id, updated_at } = task;
    const values = [id, seen, title, description, status, version, agent_id, updated_at];
    return (await this.db.query(REPLACE, values)).length > 0;
  }

  async remove(id: string, seen: number): Promise<boolean> {
    return (await this.db.query(REMOVE, [id, seen])).length > 0;
  }
}

function toTask({ created_at, updated_at, ...rest }: Columns): Task {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
