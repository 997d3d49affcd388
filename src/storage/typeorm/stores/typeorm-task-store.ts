import type { Repository } from 'typeorm';
import type { Task } from '../../../protocol/task.js';
import { TaskStore } from '../../../tasks/task-store.js';
import type { Database, Statement } from '../connection/database.js';
import { TaskEntity } from '../entities/task.entity.js';

/** Additions to one board are serialized, so that the limit holds. */
const LOCK_BOARD: Statement = {
  name: 'tasks.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('tasks/' || $1::text, 0))`,
};

/** The lock on the chat's row prevents its deletion meanwhile. */
const ADD: Statement = {
  name: 'tasks.add',
  text: `WITH chat AS (SELECT chats.id FROM chats WHERE chats.id = $2 FOR KEY SHARE)
    INSERT INTO tasks (id, chat_id, title, description, status, version, agent_id, created_at, updated_at)
    SELECT $1, chat.id, $3, $4, $5, $6, $7, $8, $9 FROM chat
    WHERE (SELECT count(*) FROM tasks WHERE chat_id = $2) < $10
    RETURNING id`,
};

/** Task boards in Postgres, on a server or embedded. */
export class TypeOrmTaskStore extends TaskStore {
  constructor(private readonly db: Database) {
    super();
  }

  list(chatId: string): Promise<Task[]> {
    const order = { created_at: 'ASC', id: 'ASC' } as const;
    return this.#tasks((tasks) => tasks.find({ where: { chat_id: chatId }, order }));
  }

  async find(id: string): Promise<Task | undefined> {
    return (await this.#tasks((tasks) => tasks.findOneBy({ id }))) ?? undefined;
  }

  async add(task: Task, limit: number): Promise<boolean> {
    const { id, chat_id, title, description, status } = task;
    const { version, agent_id, created_at, updated_at } = task;
    const content = [id, chat_id, title, description, status];
    const [, added] = await this.db.batch([
      [LOCK_BOARD, [chat_id]],
      [ADD, [...content, version, agent_id, created_at, updated_at, limit]],
    ]);
    return (added?.length ?? 0) > 0;
  }

  async replace(task: Task, seen: number): Promise<boolean> {
    const { id, title, description, status, version, agent_id, updated_at } = task;
    const content = { title, description, status, version, agent_id, updated_at };
    const { affected } = await this.#tasks((tasks) => tasks.update({ id, version: seen }, content));
    return affected === 1;
  }

  async remove(id: string, seen: number): Promise<boolean> {
    const { affected } = await this.#tasks((tasks) => tasks.delete({ id, version: seen }));
    return affected === 1;
  }

  #tasks<T>(work: (tasks: Repository<Task>) => Promise<T>): Promise<T> {
    return this.db.entities((manager) => work(manager.getRepository(TaskEntity)));
  }
}
