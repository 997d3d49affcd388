import { EntitySchema } from 'typeorm';
import { ID, INTEGER, nullable, TEXT, TIME, UID } from './columns.js';
import type { Task } from '../../../protocol/wire/task.js';

/** `chat_uid` is only for finding. */
export const TaskEntity = new EntitySchema<Task & { chat_uid: string }>({
  name: 'tasks',
  columns: {
    id: { ...ID, primary: true },
    chat_id: ID,
    chat_uid: { ...UID, select: false },
    title: TEXT,
    description: nullable(TEXT),
    status: TEXT,
    version: INTEGER,
    agent_id: nullable(ID),
    created_at: TIME,
    updated_at: TIME,
  },
});
