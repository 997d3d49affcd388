import type { AnyViewer } from '../../../persistence/viewer.js';
import { TaskStore } from '../../../tasks/task-store.js';
import type { SeenTask, TaskPlace } from '../../../tasks/task-store.js';
import type { Database, Statement } from '../connection/database.js';
import { asParameters, named } from '../named-statement.js';
import { TaskEntity } from '../entities/task.entity.js';
import { inSeenChat, viewerValues, VIEWER } from '../viewer-sql.js';
import type { Task } from '../../../protocol/wire/task.js';

/** Additions to one board are serialized, so that the limit holds. */
const LOCK_BOARD: Statement = {
  name: 'tasks.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('tasks/' || $1::text, 0))`,
};

const COLUMNS =
  'id, chat_id, title, description, status, version, agent_id, created_at, updated_at';

/** The lock on the chat's row prevents its deletion meanwhile. */
const ADD = named({
  name: 'tasks.add',
  parameters: `${COLUMNS}, chat_uid, limit`,
  text: `WITH chat AS (SELECT chats.uid FROM chats WHERE chats.uid = :chat_uid FOR KEY SHARE)
    INSERT INTO tasks (${COLUMNS}, chat_uid) SELECT ${asParameters(COLUMNS)}, chat.uid FROM chat
    WHERE (SELECT count(*) FROM tasks WHERE chat_uid = :chat_uid) < :limit
    RETURNING id`,
});

const FIND = named({
  name: 'tasks.find',
  parameters: `id, ${VIEWER}`,
  text: `SELECT ${COLUMNS} FROM tasks t WHERE t.id = :id AND ${inSeenChat('t')}`,
});

const FIND_CHAT = named({
  name: 'tasks.find_chat',
  parameters: `id, ${VIEWER}`,
  text: `SELECT chat_uid FROM tasks t WHERE t.id = :id AND ${inSeenChat('t')}`,
});

const REPLACE = named({
  name: 'tasks.replace',
  parameters: `id, seen, title, description, status, version, agent_id, updated_at, ${VIEWER}`,
  text: `UPDATE tasks t SET title = :title, description = :description, status = :status, version = :version, agent_id = :agent_id, updated_at = :updated_at
    WHERE t.id = :id AND t.version = :seen AND ${inSeenChat('t')} RETURNING t.id`,
});

const REMOVE = named({
  name: 'tasks.remove',
  parameters: `id, seen, ${VIEWER}`,
  text: `DELETE FROM tasks t WHERE t.id = :id AND t.version = :seen AND ${inSeenChat('t')} RETURNING t.id`,
});

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
    const [found] = await this.db.query<Columns>(...FIND({ id, ...viewerValues(viewer) }));
    return found && toTask(found);
  }

  async findChatUid(id: string, viewer: AnyViewer): Promise<string | undefined> {
    const find = FIND_CHAT({ id, ...viewerValues(viewer) });
    const [found] = await this.db.query<{ chat_uid: string }>(...find);
    return found?.chat_uid;
  }

  async add(task: Task, { chat_uid, limit }: TaskPlace): Promise<boolean> {
    const [, added] = await this.db.batch([
      [LOCK_BOARD, [chat_uid]],
      ADD({ ...task, chat_uid, limit }),
    ]);
    return (added?.length ?? 0) > 0;
  }

  async replace(task: Task, { seen, viewer }: SeenTask): Promise<boolean> {
    const replace = REPLACE({ ...task, seen, ...viewerValues(viewer) });
    return (await this.db.query(...replace)).length > 0;
  }

  async remove(id: string, { seen, viewer }: SeenTask): Promise<boolean> {
    return (await this.db.query(...REMOVE({ id, seen, ...viewerValues(viewer) }))).length > 0;
  }
}

function toTask({ created_at, updated_at, ...rest }: Columns): Task {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
